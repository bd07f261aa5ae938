// A skyglowd that goes wrong in one way: NEVER runs and never connects, CRASH says it is connected and then crashes, EARLY
// does not even start to run, NEWER gives the database tables of a later version and never connects. It is static, like the true one, so that its process carries its name.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *file = "/run/skyglow/stub.pid";

static int running(void) {
    int pid = 0;
    FILE *in = fopen(file, "r");
    if (in == NULL) return 0;
    int found = fscanf(in, "%d", &pid);
    fclose(in);
    return found == 1 && kill(pid, 0) == 0;
}

static int run(void) {
#ifdef EARLY
    return 70;
#endif
    FILE *out = fopen(file, "w");
    if (out == NULL) return 74;
    fprintf(out, "%d\n", getpid());
    fclose(out);
#ifdef NEWER
    // PRAGMA user_version is four bytes at offset 60 of the file, the highest first (sqlite.org/fileformat2.html, 1.3).
    FILE *database = fopen("/var/lib/skyglow/skyglow.db", "r+");
    if (database == NULL || fseek(database, 60, SEEK_SET) != 0) return 74;
    fwrite("\0\0\3\347", 1, 4, database);
    fclose(database);
#endif
#ifdef CRASH
    sleep(2);
    abort();
#else
    for (;;) pause();
#endif
}

int main(int count, char **arguments) {
    const char *command = "";
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "-c") == 0) i++;
        else if (*command == 0) command = arguments[i];
    }
    if (strcmp(command, "--version") == 0) return puts("skyglowd 9.9.9 stub"), 0;
    if (strcmp(command, "run") == 0) return run();
    if (strcmp(command, "log") == 0) return puts("the stub's last words"), 0;
    if (strcmp(command, "status") == 0) {
        if (!running()) return 3;
#ifdef CRASH
        return puts("{\"state\":\"connected\"}"), 0;
#else
        return puts("{\"state\":\"connecting\"}"), 1;
#endif
    }
    return 0;
}
