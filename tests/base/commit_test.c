/* What is taken for the name of a commit, and what is not: variables may hold anything. */
#include "base/commit.h"

#include <string.h>

#include "tap.h"

int main(void)
{
    static const char *const good[] = {"3f2a91c",
                                       "3F2A91C",
                                       "3f2a91c7d0e4b5a6978812f30c4d5e6f70819a2b",
                                       "v2.1.0-rc1",
                                       "release_7",
                                       "2026.11",
                                       "0123456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        tap_ok(fm_commit_is_valid(good[i]), "'%s' names a commit", good[i]);
    static const char *const bad[] = {"",
                                      "off",
                                      ".hidden",
                                      "--output",
                                      "a b",
                                      "a/b",
                                      "3f2a91c\n",
                                      "<b>1</b>",
                                      "\033[2J",
                                      "glpat-Abcdefghij0123456789",
                                      "a-tag-that-is-much-too-long-to-be-one",
                                      "01234567890123456789012345678901234567890123456789012345678901234"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(!fm_commit_is_valid(bad[i]), "no commit: number %zu", i);
    tap_ok(fm_commit_is_id("3f2a91c") && !fm_commit_is_id("3f2a91") && !fm_commit_is_id("v2.1.0"), "what is an id");
    char text[FM_COMMIT_SHORT];
    tap_ok(strcmp(fm_commit_short(text, "3f2a91c7d0e4b5a6978812f30c4d5e6f70819a2b"), "3f2a91c7d0") == 0 &&
               strcmp(fm_commit_short(text, "3f2a91c"), "3f2a91c") == 0 &&
               strcmp(fm_commit_short(text, "v2.1.0-rc1-some-longer"), "v2.1.0-rc1-some-longer") == 0,
           "an id is shortened, a tag is not");
    return tap_done();
}
