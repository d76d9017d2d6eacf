/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_note.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

/* Far above what any library has; a hostile count costs no memory. */
enum { HEADERS_MOST = 1024, NOTES_MOST = 1 << 20 };

/* The linker puts this on the header of libsegue itself: what a plugin has to match. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

typedef struct file {
    const char *path;
    int descriptor;
    uint64_t bytes;
    ElfW(Ehdr) header;
    ElfW(Phdr) *segments;
    segue_error *error;
} file;

#define REFUSE(f, ...) return sgi_fail((f)->error, SEGUE_E_PLUGIN, __VA_ARGS__)

static int read_at(const file *f, uint64_t offset, void *buffer, size_t bytes)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t more = pread(f->descriptor, (char *)buffer + got, bytes - got, (off_t)(offset + got));
        if (more <= 0 && !(more < 0 && errno == EINTR)) {
            return 0;
        }
        got += more > 0 ? (size_t)more : 0;
    }
    return 1;
}

static int lies_inside(const file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->bytes && bytes <= f->bytes - offset;
}

/* Nonblocking, since opening a pipe would wait for its other end. */
static int32_t open_file(file *f, sgi_note *note)
{
    struct stat status;
    f->descriptor = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->descriptor < 0 || fstat(f->descriptor, &status) != 0) {
        int32_t code = errno == ENOENT || errno == ENOTDIR ? SEGUE_E_NAME
                       : sgi_is_lack(errno)                ? SEGUE_E_SYSTEM
                                                           : SEGUE_E_PLUGIN;
        return sgi_fail(f->error, code, "%s: %s", f->path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        REFUSE(f, "%s: no regular file", f->path);
    }
    /* Folders that all may write to are common in containers, and no such file is. */
    if ((status.st_mode & S_IWOTH) != 0) {
        REFUSE(f, "%s: everybody may write to it, and so decide what runs here: chmod o-w", f->path);
    }
    f->bytes = (uint64_t)status.st_size;
    note->device = status.st_dev;
    note->file = status.st_ino;
    return SEGUE_OK;
}

static int32_t read_header(file *f)
{
    const unsigned char *ident = f->header.e_ident, *own = __ehdr_start.e_ident;
    if (!lies_inside(f, 0, SELFMAG) || !read_at(f, 0, &f->header, SELFMAG) || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        REFUSE(f, "%s: no ELF file", f->path);
    }
    if (!lies_inside(f, 0, sizeof f->header) || !read_at(f, 0, &f->header, sizeof f->header)) {
        REFUSE(f, "%s: truncated: %llu bytes do not even hold an ELF header", f->path, (unsigned long long)f->bytes);
    }
    if (ident[EI_CLASS] != own[EI_CLASS] || ident[EI_DATA] != own[EI_DATA] ||
        f->header.e_machine != __ehdr_start.e_machine) {
        REFUSE(f, "%s: built for another machine (ELF class %u, machine %u; here class %u, machine %u)", f->path,
               ident[EI_CLASS], f->header.e_machine, own[EI_CLASS], __ehdr_start.e_machine);
    }
    if (f->header.e_type != ET_DYN) {
        REFUSE(f, "%s: no shared object (ELF type %u)", f->path, f->header.e_type);
    }
    return SEGUE_OK;
}

static int32_t read_segments(file *f)
{
    uint64_t bytes = (uint64_t)f->header.e_phnum * sizeof(ElfW(Phdr));
    if (f->header.e_phentsize != sizeof(ElfW(Phdr)) || f->header.e_phnum == 0 || f->header.e_phnum > HEADERS_MOST) {
        REFUSE(f, "%s: malformed ELF file: %u program headers of %u bytes", f->path, f->header.e_phnum,
               f->header.e_phentsize);
    }
    if (!lies_inside(f, f->header.e_phoff, bytes)) {
        REFUSE(f, "%s: truncated: the program headers end behind byte %llu, the file's last", f->path,
               (unsigned long long)f->bytes);
    }
    f->segments = malloc(bytes);
    if (f->segments == NULL) {
        return sgi_fail(f->error, SEGUE_E_MEMORY, "%s: no memory for its program headers", f->path);
    }
    if (!read_at(f, f->header.e_phoff, f->segments, bytes)) {
        REFUSE(f, "%s: cannot be read", f->path);
    }
    for (unsigned i = 0; i < f->header.e_phnum; i++) {
        if (f->segments[i].p_type != PT_NULL && !lies_inside(f, f->segments[i].p_offset, f->segments[i].p_filesz)) {
            REFUSE(f, "%s: truncated: segment %u ends behind byte %llu, the file's last", f->path, i,
                   (unsigned long long)f->bytes);
        }
    }
    return SEGUE_OK;
}

const void *sgi_note_find(const void *bytes, size_t size, size_t alignment, size_t *description_size)
{
    const char *start = bytes;
    uint64_t mask = alignment == 8 ? 7 : 3;
    ElfW(Nhdr) note;
    for (uint64_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, start + at, sizeof note);
        uint64_t owner = at + sizeof note;
        uint64_t description = (owner + note.n_namesz + mask) & ~mask;
        if (description > size || note.n_descsz > size - description) {
            return NULL;
        }
        if (note.n_type == SEGUE_NOTE_TYPE && note.n_namesz == sizeof SEGUE_NOTE_OWNER &&
            memcmp(start + owner, SEGUE_NOTE_OWNER, sizeof SEGUE_NOTE_OWNER) == 0) {
            *description_size = note.n_descsz;
            return start + description;
        }
        at = (description + note.n_descsz + mask) & ~mask;
    }
    return NULL;
}

int sgi_is_assignor_name(const char *name)
{
    size_t length = strnlen(name, SGI_NAME_MOST + 1);
    return length > 0 && length <= SGI_NAME_MOST && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static int may_stand_in_note(const char *name)
{
    return strcmp(name, SEGUE_NOTE_ANY_NAME) == 0 || sgi_is_assignor_name(name);
}

/* Every name has its NUL, and one more NUL ends the list exactly where the note says. */
static int are_names(const char *names, uint32_t bytes)
{
    uint32_t at = 0;
    if (bytes == 0 || names[bytes - 1] != '\0') {
        return 0;
    }
    while (names[at] != '\0') {
        size_t length = strlen(names + at);
        if (!may_stand_in_note(names + at) || at + length + 1 >= bytes) {
            return 0;
        }
        at += (uint32_t)length + 1;
    }
    return at == bytes - 1;
}

static int32_t take_note(file *f, const char *description, size_t size, sgi_note *note)
{
    segue_note *record = &note->record;
    if (size < sizeof *record) {
        REFUSE(f, "%s: its segue note has %zu bytes, it needs %zu", f->path, size, sizeof *record);
    }
    memcpy(record, description, sizeof *record);
    if (record->name_bytes > size - sizeof *record || !are_names(description + sizeof *record, record->name_bytes)) {
        REFUSE(f, "%s: the assignor names in its segue note are malformed", f->path);
    }
    if (record->abi_floor > record->abi_newest) {
        REFUSE(f, "%s: its segue note states versions %u to %u", f->path, record->abi_floor, record->abi_newest);
    }
    note->names = malloc(record->name_bytes);
    if (note->names == NULL) {
        return sgi_fail(f->error, SEGUE_E_MEMORY, "%s: no memory for its note", f->path);
    }
    memcpy(note->names, description + sizeof *record, record->name_bytes);
    return SEGUE_OK;
}

static int32_t read_note_segment(file *f, const ElfW(Phdr) *segment, sgi_note *note, int *found)
{
    size_t size = segment->p_filesz;
    char *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return sgi_fail(f->error, SEGUE_E_MEMORY, "%s: no memory for its notes", f->path);
    }
    if (!read_at(f, segment->p_offset, bytes, size)) {
        free(bytes);
        REFUSE(f, "%s: its notes cannot be read", f->path);
    }
    size_t description_size = 0;
    const void *description = sgi_note_find(bytes, size, segment->p_align, &description_size);
    int32_t status = SEGUE_OK;
    if (description != NULL) {
        *found = 1;
        status = take_note(f, description, description_size, note);
    }
    free(bytes);
    return status;
}

static int32_t find_note(file *f, sgi_note *note)
{
    int found = 0;
    for (unsigned i = 0; i < f->header.e_phnum && !found; i++) {
        const ElfW(Phdr) *segment = &f->segments[i];
        if (segment->p_type == PT_NOTE && segment->p_filesz <= NOTES_MOST) {
            int32_t status = read_note_segment(f, segment, note, &found);
            if (status != SEGUE_OK) {
                return status;
            }
        }
    }
    return found ? SEGUE_OK
                 : sgi_fail(f->error, SEGUE_E_NAME, "%s: no segue plugin: it has no note " SEGUE_NOTE_SECTION, f->path);
}

int32_t sgi_note_read(const char *path, sgi_note *note, segue_error *error)
{
    file f = {.path = path, .descriptor = -1, .error = error};
    memset(note, 0, sizeof *note);
    int32_t status = open_file(&f, note);
    if (status == SEGUE_OK) {
        status = read_header(&f);
    }
    if (status == SEGUE_OK) {
        status = read_segments(&f);
    }
    if (status == SEGUE_OK) {
        status = find_note(&f, note);
    }
    free(f.segments);
    if (f.descriptor >= 0) {
        close(f.descriptor);
    }
    return status;
}

void sgi_note_free(sgi_note *note)
{
    free(note->names);
    note->names = NULL;
}
