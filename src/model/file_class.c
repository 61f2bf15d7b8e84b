/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/file_class.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_LEVELS = 3, MAX_PART = 48, MAX_EXTENSION = 6, RANDOM_CHARACTERS = 6 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct class_text {
    char *at, *end;
};

static void put(struct class_text *out, char c)
{
    if (out->at < out->end)
        *out->at++ = c;
}

static void put_all(struct class_text *out, const char *text)
{
    while (*text)
        put(out, *text++);
}

/* With a star for each number, cut to MAX_PART characters. */
static void put_without_numbers(struct class_text *out, const char *text, size_t n)
{
    const char *limit = out->at + MAX_PART;
    for (size_t i = 0; i < n; i++) {
        if (out->at == limit) {
            put(out, '*');
            return;
        }
        if (!is_digit(text[i]))
            put(out, text[i]);
        else if (i == 0 || !is_digit(text[i - 1]))
            put(out, '*');
    }
}

/* An extension that says what a file is: "nc", "h5", "dat", but not "000123". */
static const char *extension_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name || !is_letter(dot[1]) || strlen(dot + 1) > MAX_EXTENSION)
        return NULL;
    return dot + 1;
}

/* The kernel adds this to the name of a file that has been unlinked, as temporary files are whose names are random. */
static bool is_deleted(const char *name)
{
    static const char suffix[] = " (deleted)";
    size_t length = strlen(name);
    return length >= sizeof suffix && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

/* How much of a name is left without what is random: programs add some letters and digits to "tmp", for example
 * gfortrantmpaB3xYz, tmp.Xa81bcQzuT. Words in small letters only are names. The length of the name if nothing is. */
static size_t without_random(const char *text, size_t n)
{
    size_t at = n, cases = 0;
    while (at && (is_digit(text[at - 1]) || is_letter(text[at - 1])) &&
           !(at >= 3 && at < n && memcmp(text + at - 3, "tmp", 3) == 0)) {
        cases += is_digit(text[at - 1]) || text[at - 1] < 'a';
        at--;
    }
    size_t before = at && strchr("._-", text[at - 1]) ? at - 1 : at;
    bool temporary = before >= 3 && memcmp(text + before - 3, "tmp", 3) == 0;
    return temporary && n - at >= RANDOM_CHARACTERS && cases ? at : n;
}

static void put_part(struct class_text *out, const char *text, size_t n)
{
    size_t known = without_random(text, n);
    put_without_numbers(out, text, known);
    if (known < n)
        put(out, '*');
}

static void put_name(struct class_text *out, const char *name)
{
    const char *extension = extension_of(name);
    if (is_deleted(name)) {
        put_all(out, "deleted files");
    } else if (extension && without_random(name, strlen(name)) == strlen(name)) {
        put_all(out, "*.");
        put_all(out, extension);
    } else {
        put_part(out, name, strlen(name));
    }
}

const char *fm_file_class(const char *path, char name[FM_FILE_CLASS_BYTES])
{
    struct class_text out = {name, name + FM_FILE_CLASS_BYTES - 1};
    const char *last = strrchr(path, '/');
    if (path[0] != '/' || !last) { /* a class already */
        put_all(&out, path);
        *out.at = 0;
        return name;
    }
    put_name(&out, last + 1);
    put_all(&out, " below ");
    if (last == path)
        put(&out, '/');
    for (int level = 0; level < MAX_LEVELS && path < last; level++) {
        const char *end = strchr(path + 1, '/');
        put(&out, '/');
        put_part(&out, path + 1, (size_t)(end - path - 1));
        path = end;
    }
    *out.at = 0;
    return name;
}
