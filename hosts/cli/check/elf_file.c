/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int lies_inside(const elf_file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->size && bytes <= f->size - offset;
}

static int read_header(elf_file *f)
{
    const ElfW(Ehdr) *h = (const void *)f->bytes;
    if (f->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_type != ET_DYN ||
        h->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
        return 0;
    }
    f->header = h;
    if (h->e_shnum > 0 && h->e_shentsize == sizeof(ElfW(Shdr)) && h->e_shoff % 8 == 0 &&
        lies_inside(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(ElfW(Shdr)))) {
        f->sections = (const void *)(f->bytes + h->e_shoff);
    }
    return 1;
}

int elf_open(elf_file *f, const char *path)
{
    struct stat status;
    *f = (elf_file){0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *all = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        f->bytes = all == MAP_FAILED ? NULL : all;
        f->size = (size_t)status.st_size;
    }
    if (file >= 0) {
        close(file);
    }
    if (f->bytes == NULL || !read_header(f)) {
        elf_close(f);
        return 0;
    }
    return 1;
}

void elf_close(elf_file *f)
{
    if (f->bytes != NULL) {
        munmap((void *)(uintptr_t)f->bytes, f->size);
    }
    *f = (elf_file){0};
}

/* The first section of that type that lies in the file, or NULL. */
static const ElfW(Shdr) *find_section(const elf_file *f, uint32_t type)
{
    for (unsigned i = 0; f->sections != NULL && i < f->header->e_shnum; i++) {
        const ElfW(Shdr) *section = &f->sections[i];
        if (section->sh_type == type && section->sh_offset % 8 == 0 &&
            lies_inside(f, section->sh_offset, section->sh_size)) {
            return section;
        }
    }
    return NULL;
}

static int is_exported(const ElfW(Sym) *symbol)
{
    unsigned bind = symbol->st_info >> 4, visibility = symbol->st_other & 3;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && bind != STB_LOCAL &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static const char *text_at(const elf_file *f, const ElfW(Shdr) *symbols, uint32_t offset)
{
    const ElfW(Shdr) *texts = symbols->sh_link < f->header->e_shnum ? &f->sections[symbols->sh_link] : NULL;
    if (texts == NULL || !lies_inside(f, texts->sh_offset, texts->sh_size) || offset >= texts->sh_size) {
        return "?";
    }
    const char *text = f->bytes + texts->sh_offset + offset;
    return memchr(text, '\0', texts->sh_size - offset) == NULL ? "?" : text;
}

const char *elf_exported(const elf_file *f, uint32_t index)
{
    const ElfW(Shdr) *section = find_section(f, SHT_DYNSYM);
    const ElfW(Sym) *symbol = section == NULL ? NULL : (const void *)(f->bytes + section->sh_offset);
    uint64_t count = section == NULL ? 0 : section->sh_size / sizeof *symbol;
    for (uint64_t i = 0; i < count; i++) {
        if (is_exported(&symbol[i]) && index-- == 0) {
            return text_at(f, section, symbol[i].st_name);
        }
    }
    return NULL;
}

uint64_t elf_flags(const elf_file *f)
{
    const ElfW(Shdr) *section = find_section(f, SHT_DYNAMIC);
    const ElfW(Dyn) *entry = section == NULL ? NULL : (const void *)(f->bytes + section->sh_offset);
    uint64_t flags = 0;
    for (uint64_t i = 0; section != NULL && i < section->sh_size / sizeof *entry; i++) {
        flags |= entry[i].d_tag == DT_FLAGS ? entry[i].d_un.d_val : 0;
        flags |= entry[i].d_tag == DT_TEXTREL ? DF_TEXTREL : 0;
    }
    return flags;
}

int elf_wants_writable_code(const elf_file *f)
{
    const ElfW(Ehdr) *h = f->header;
    int wants = 0;
    if (h->e_phentsize != sizeof(ElfW(Phdr)) || h->e_phoff % 8 != 0 ||
        !lies_inside(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof(ElfW(Phdr)))) {
        return 0;
    }
    const ElfW(Phdr) *segment = (const void *)(f->bytes + h->e_phoff);
    for (unsigned i = 0; i < h->e_phnum; i++) {
        int both = (segment[i].p_flags & (PF_W | PF_X)) == (PF_W | PF_X);
        wants |= both && (segment[i].p_type == PT_LOAD || segment[i].p_type == PT_GNU_STACK);
    }
    return wants;
}
