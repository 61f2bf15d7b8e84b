/* Limits of resources that leave no room for measuring: the command is then run as it is. */
#ifndef FM_CLI_RUN_LIMITS_H
#define FM_CLI_RUN_LIMITS_H

/* Which of them it is, for a message; NULL: there is room. */
const char *fm_run_limit(char **command);

#endif
