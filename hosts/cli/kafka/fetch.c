/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SEGUE_CURL

#include <curl/curl.h>

enum { TIMEOUT_S = 15, CONNECT_S = 5, HEADER_ROOM = 4096 };

#define FETCH_MOST ((size_t)1 << 30)

typedef struct sink {
    char *bytes;
    size_t used, room;
} sink;

static size_t take(char *bytes, size_t one, size_t count, void *context)
{
    sink *to = context;
    size_t size = one * count;
    if (size > FETCH_MOST - to->used) {
        return 0;
    }
    if (to->used + size + 1 > to->room) {
        size_t room = 2 * (to->used + size + 1);
        char *grown = realloc(to->bytes, room);
        if (grown == NULL) {
            return 0;
        }
        to->bytes = grown;
        to->room = room;
    }
    memcpy(to->bytes + to->used, bytes, size);
    to->used += size;
    to->bytes[to->used] = '\0';
    return size;
}

static int set_up(CURL *curl, const char *url, struct curl_slist *headers, sink *to, char *why)
{
    return curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TIMEOUT_S) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, to) == CURLE_OK;
}

static struct curl_slist *headers_with(const char *token)
{
    char line[HEADER_ROOM];
    snprintf(line, sizeof line, "Authorization: Bearer %s", token);
    struct curl_slist *headers = curl_slist_append(NULL, line);
    explicit_bzero(line, sizeof line);
    return headers;
}

long cli_fetch(const char *url, const char *token, char **body, size_t *size, char *fault, size_t fault_size)
{
    char why[CURL_ERROR_SIZE] = "";
    long status = 0;
    sink to = {calloc(1, 1), 0, 1};
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = token == NULL ? NULL : headers_with(token);
    CURLcode code = curl != NULL && to.bytes != NULL && set_up(curl, url, headers, &to, why) ? curl_easy_perform(curl)
                                                                                             : CURLE_FAILED_INIT;
    if (code == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        *body = to.bytes;
        *size = to.used;
    }
    if (status == 0) {
        snprintf(fault, fault_size, "%s: %s", url, why[0] != '\0' ? why : curl_easy_strerror(code));
        free(to.bytes);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return status;
}

#else

long cli_fetch(const char *url, const char *token, char **body, size_t *size, char *fault, size_t fault_size)
{
    (void)token;
    (void)body;
    (void)size;
    snprintf(fault, fault_size, "%s: this program was built without libcurl, and cannot ask over HTTP", url);
    return 0;
}

#endif
