/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/fortran_source.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { MAX_CONTINUATION = 512, MAX_PROCEDURE = 20000 };

/* ---- files ---- */

static bool has_suffix(const char *path, const char *const *suffixes)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *suffixes; suffixes++)
        if (strcasecmp(dot + 1, *suffixes) == 0)
            return true;
    return false;
}

static bool has_fixed_suffix(const char *path)
{
    static const char *const suffixes[] = {"f", "for", "ftn", "f77", "fpp", NULL};
    return has_suffix(path, suffixes);
}

bool fm_fortran_is_source(const char *path)
{
    static const char *const suffixes[] = {"f90", "f95", "f03", "f08", "f18", NULL};
    return has_suffix(path, suffixes) || has_fixed_suffix(path);
}

/* ---- lines ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static const char *text_of(const struct fm_fortran_source *source, uint32_t line)
{
    return line > 0 && line <= source->n ? source->lines[line - 1] : "";
}

/* Also empty lines, and lines of a preprocessor. */
static bool is_comment(const struct fm_fortran_source *source, uint32_t line)
{
    const char *text = text_of(source, line), *first = skip_blanks(text);
    if (!*first || *first == '!' || *text == '#')
        return true;
    return source->fixed_form && strchr("cC*dD", *text);
}

/* The length of a line without its comment. */
static size_t length_without_comment(const char *text)
{
    char quote = 0;
    size_t end = 0;
    for (size_t i = 0; text[i] && (quote || text[i] != '!'); i++) {
        if (quote ? text[i] == quote : text[i] == '\'' || text[i] == '"')
            quote = quote ? 0 : text[i];
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            end = i + 1;
    }
    return end;
}

/* Whether a line that is not a comment continues the one before it, in fixed form: by a character in column 6. */
static bool is_marked_continuation(const char *text)
{
    size_t blanks = strspn(text, " ");
    return blanks == 5 && text[5] && text[5] != '0' && text[5] != '\t';
}

static bool ends_in_ampersand(const char *text)
{
    size_t length = length_without_comment(text);
    return length > 0 && text[length - 1] == '&';
}

static bool continues(const struct fm_fortran_source *source, uint32_t line, uint32_t previous)
{
    if (source->fixed_form && is_marked_continuation(text_of(source, line)))
        return true;
    return ends_in_ampersand(text_of(source, previous));
}

uint32_t fm_fortran_statement_start(const struct fm_fortran_source *source, uint32_t line)
{
    if (line == 0 || line > source->n)
        return 0;
    for (unsigned i = 0; i < MAX_CONTINUATION && line > 1; i++) {
        uint32_t previous = line - 1;
        while (previous > 1 && is_comment(source, previous))
            previous--;
        if (is_comment(source, previous) || !continues(source, line, previous))
            break;
        line = previous;
    }
    return line;
}

/* ---- the form ---- */

enum { FIXED_COLUMNS = 72 }; /* text after them is a comment in fixed form; both forms can use an '&' there */

/* 1 if a line is possible only in free form, -1 if only in fixed form, 0 if in both. */
static int form_of_line(const char *text)
{
    const char *first = text + strspn(text, " 0123456789");
    if (!*first || *first == '!' || *text == '#')
        return 0;
    if (strchr("cCdD*", *text)) /* "c = f(x)" and "call f" are statements in free form */
        return isalpha((unsigned char)text[1]) || strchr("=(%", *skip_blanks(text + 1)) ? 0 : -1;
    if (first < text + 5 && isalpha((unsigned char)*first))
        return 1;
    if (is_marked_continuation(text) && !isalpha((unsigned char)text[5]))
        return -1;
    return length_without_comment(text) <= FIXED_COLUMNS && ends_in_ampersand(text);
}

bool fm_fortran_is_fixed_form(const char *path, char *const *lines, size_t n)
{
    long balance = 0;
    for (size_t i = 0; i < n; i++)
        balance += form_of_line(lines[i]);
    return balance ? balance < 0 : has_fixed_suffix(path);
}

/* ---- statements ---- */

/* After a parenthesis and all up to the one that closes it, which may be in another line. */
static const char *skip_parentheses(const char *text)
{
    unsigned depth = 0;
    for (; *text; text++) {
        depth += *text == '(';
        if (*text == ')' && --depth == 0)
            return text + 1;
    }
    return text;
}

/* "data(i) = 1" and "type%kind = 2" are assignments to variables with the names of statements. */
static bool is_assignment(const char *after)
{
    after = skip_blanks(after);
    while (*after == '(')
        after = skip_blanks(skip_parentheses(after));
    return *after == '=' || *after == '%';
}

/* Whether a text begins with a word, in any case, that is no longer. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncasecmp(text, word, length) == 0 && !is_name(text[length]) ? text + length : NULL;
}

static bool begins_declaration(const char *text)
{
    static const char *const words[] = {
        "use",        "implicit",    "integer",     "real",          "double",       "doubleprecision",
        "complex",    "logical",     "character",   "type",          "class",        "parameter",
        "dimension",  "codimension", "allocatable", "pointer",       "target",       "intent",
        "save",       "external",    "intrinsic",   "common",        "data",         "equivalence",
        "namelist",   "include",     "import",      "interface",     "procedure",    "contains",
        "subroutine", "function",    "program",     "module",        "submodule",    "public",
        "private",    "optional",    "contiguous",  "volatile",      "asynchronous", "generic",
        "enum",       "enumerator",  "abstract",    "sequence",      "final",        "pure",
        "impure",     "elemental",   "recursive",   "non_recursive", "attributes",   "bind",
        "protected",  "value",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *after = after_word(text, words[i]);
        if (after)
            return !is_assignment(after);
    }
    return false;
}

/* "end", "end subroutine solve", "endfunction"; not "end do" and "end if". */
static bool ends_procedure(const char *text)
{
    static const char *const words[] = {"subroutine", "function", "program", "module", "submodule", "procedure"};
    if (strlen(text) < 3 || strncasecmp(text, "end", 3) != 0)
        return false;
    const char *what = skip_blanks(text + 3);
    if (!*what || *what == '!')
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *after = after_word(what, words[i]);
        if (after)
            return !is_assignment(after);
    }
    return false;
}

enum fm_fortran_kind fm_fortran_kind_of(const struct fm_fortran_source *source, uint32_t line)
{
    const char *text = skip_blanks(text_of(source, line));
    text = skip_blanks(text + strspn(text, "0123456789")); /* a label */
    if (ends_procedure(text))
        return FM_FORTRAN_END;
    return is_comment(source, line) || begins_declaration(text) ? FM_FORTRAN_DECLARATION : FM_FORTRAN_EXECUTABLE;
}

/* ---- words ---- */

struct words {
    const char *at, *end;
    char quote;
};

static struct words words_of(const char *text)
{
    return (struct words){text, text + length_without_comment(text), 0};
}

/* The next name or number of a line outside its comment and strings; NULL at the end. */
static const char *next_word(struct words *words, size_t *length)
{
    for (; words->at < words->end; words->at++) {
        char c = *words->at;
        if (words->quote ? c == words->quote : c == '\'' || c == '"')
            words->quote = words->quote ? 0 : c;
        if (words->quote || !is_name(c))
            continue;
        const char *word = words->at;
        while (words->at < words->end && is_name(*words->at))
            words->at++;
        *length = (size_t)(words->at - word);
        return word;
    }
    return NULL;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static bool has_name(const char *text, const char *name)
{
    struct words words = words_of(text);
    size_t length;
    for (const char *word; (word = next_word(&words, &length));)
        if (is_word(word, length, name))
            return true;
    return false;
}

/* Whether the parentheses after a word belong to a statement: "if (", "do while (". */
static bool is_keyword(const char *text, size_t length)
{
    static const char *const keywords[] = {"if",   "elseif", "while",      "case",      "where",
                                           "else", "forall", "concurrent", "elsewhere", "select"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (is_word(text, length, keywords[i]))
            return true;
    return false;
}

/* "call", "name(" and "object%name"; nobody tells an array from a function. */
static bool has_reference(const char *text, const char *unused)
{
    (void)unused;
    struct words words = words_of(text);
    size_t length;
    for (const char *word; (word = next_word(&words, &length));) {
        char next = *skip_blanks(word + length);
        if (is_word(word, length, "call") || next == '%' || (next == '(' && !is_keyword(word, length)))
            return true;
    }
    return false;
}

static bool statement_fits(const struct fm_fortran_source *source, uint32_t start,
                           bool (*fits)(const char *text, const char *name), const char *name)
{
    for (uint32_t line = start; line <= source->n && line - start < MAX_CONTINUATION; line++) {
        if (is_comment(source, line))
            continue;
        if (fm_fortran_statement_start(source, line) != start)
            return false;
        if (fits(text_of(source, line), name))
            return true;
    }
    return false;
}

bool fm_fortran_has_name(const struct fm_fortran_source *source, uint32_t start, const char *name)
{
    return statement_fits(source, start, has_name, name);
}

bool fm_fortran_has_reference(const struct fm_fortran_source *source, uint32_t start)
{
    return statement_fits(source, start, has_reference, NULL);
}

uint32_t fm_fortran_find_name(const struct fm_fortran_source *source, uint32_t first, const char *name)
{
    uint32_t found = 0;
    if (!name[0])
        return 0;
    for (uint32_t line = first + 1; line <= source->n && line - first < MAX_PROCEDURE; line++) {
        if (is_comment(source, line))
            continue;
        uint32_t start = fm_fortran_statement_start(source, line);
        enum fm_fortran_kind kind = fm_fortran_kind_of(source, start);
        if (kind == FM_FORTRAN_END || after_word(skip_blanks(text_of(source, start)), "contains"))
            break;
        if (kind != FM_FORTRAN_EXECUTABLE || start == found || !has_name(text_of(source, line), name))
            continue;
        if (found)
            return 0;
        found = start;
    }
    return found;
}
