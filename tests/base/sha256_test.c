/* Vectors of FIPS 180-4 and its examples. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static void check(const char *text, size_t size, const char *expected)
{
    unsigned char digest[FM_SHA256_BYTES];
    char hex[2 * FM_SHA256_BYTES + 1];
    fm_sha256(text, size, digest);
    for (int i = 0; i < FM_SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    tap_ok(strcmp(hex, expected) == 0, "%zu bytes: %s", size, hex);
}

int main(void)
{
    char many[1000];
    memset(many, 'a', sizeof many);
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check(many, 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
    return tap_done();
}
