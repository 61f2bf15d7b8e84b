/* What is kept of a command line. */
#include "base/redact.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* The words of a line, separated by '|', as they are kept. */
static void line(const char *words, const char *wanted)
{
    char text[256], word[256], shown[256] = "";
    struct fm_redacted kept = {.text = text, .size = sizeof text};
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!fm_redact(&kept, word))
            break;
        at += length + (at[length] == '|');
    }
    size_t n = 0;
    for (; n + 1 < kept.used; n++)
        shown[n] = text[n] ? text[n] : '|';
    shown[n] = 0;
    tap_ok(strcmp(shown, wanted) == 0, "%s -> %s%s%s", words, wanted, strcmp(shown, wanted) ? ", got " : "",
           strcmp(shown, wanted) ? shown : "");
}

int main(void)
{
    line("./pop|-n|64|input.nml", "./pop|-n|64|input.nml");
    line("./pop|--password=hunter2|-v", "./pop|--password=***|-v");
    line("./pop|--password|hunter2|-v", "./pop|--password|***|-v");
    line("./pop|-password|hunter2", "./pop|-password|***");
    line("./pop|--passwd=a b c", "./pop|--passwd=***");
    line("./pop|--db-password|--verbose|a", "./pop|--db-password|--verbose|a");
    line("mysql|-phunter2|-u|me", "mysql|-p***|-u|me");
    line("./pop|-p|22", "./pop|-p|22");
    line("./pop|-pc_type|lu|-ksp_type|cg", "./pop|-pc_type|lu|-ksp_type|cg");
    line("./pop|-pc_mg_levels_1_ksp_type|cg", "./pop|-pc_mg_levels_1_ksp_type|cg");
    line("find|.|-print|-parallel|-periodic=1", "find|.|-print|-parallel|-periodic=1");
    line("./pop|-phunter2|-pSWORDFISH", "./pop|-p***|-p***");
    line("/usr/bin/mysqldump|-psecret|db", "/usr/bin/mysqldump|-p***|db");
    line("nice|sshpass|-psecret|ssh|there", "nice|sshpass|-p***|ssh|there");
    line("sh|-c|cd /x;mysql -psecret db", "sh|-c|cd /x;mysql -p***");
    line("./pop|API_TOKEN=abc|CLIENT_SECRET=x|MyKey=1", "./pop|API_TOKEN=***|CLIENT_SECRET=***|MyKey=***");
    line("./pop|--api-key|x", "./pop|--api-key|***");
    line("./pop|https://me:hunter2@host/path", "./pop|https://me:***@host/path");
    line("./pop|https://ghp_abc@host/path", "./pop|https://***@host/path");
    line("./pop|--db=postgres://me:a:b@c@host:5432/x", "./pop|--db=postgres://me:***@host:5432/x");
    line("./pop|https://host/a@b", "./pop|https://host/a@b");
    line("./pop|https://host/?a=1&token=abc", "./pop|https://host/?a=1&token=***");
    line("curl|-H|Authorization: Bearer abc", "curl|-H|Authorization: Bearer ***");
    line("curl|Authorization:|Bearer|abc|-v", "curl|Authorization:|Bearer|***|-v");
    line("./pop|--password=|hunter2|-v", "./pop|--password=|***|-v");
    line("./pop|--password=|-v|x", "./pop|--password=|-v|x");
    line("sh|-c|export TOKEN=abc; ./pop", "sh|-c|export TOKEN=***");
    line("sh|-c|mysql --password hunter2 db", "sh|-c|mysql --password ***");
    line("sh|-c|mysql -p'hunter 2' db", "sh|-c|mysql -p***");
    line("./pop|{\"password\": \"hunter2\"}", "./pop|{\"password\": ***");
    line("./pop|mode=fast,secret=x", "./pop|mode=fast,secret=***");
    line("./pop|keys/monkey.nc", "./pop|keys/monkey.nc");
    line("./pop|12:30|host:/data", "./pop|12:30|host:/data");

    char text[8];
    struct fm_redacted kept = {.text = text, .size = sizeof text};
    tap_ok(fm_redact(&kept, "./pop") && kept.used == 6, "what fits is kept");
    tap_ok(!fm_redact(&kept, "--password=hunter2") && kept.used == 6, "what does not fit is not");
    tap_ok(fm_redact(&kept, "a") && kept.used == 8 && !fm_redact(&kept, "") && kept.used == 8, "to the last byte");
    return tap_done();
}
