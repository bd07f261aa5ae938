/* Starting and ending child processes: what must be done between fork and execve, where nothing but C may run. */
#define _GNU_SOURCE
#include "CBoard.h"
#include <sys/prctl.h>
#include <sys/syscall.h>

int cb_pipe(int ends[2], int ours) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[ours], F_SETFL, O_NONBLOCK);
}

/* Closes everything from `first` on. The gateway's own descriptors are close-on-exec: this is for those it was given. */
static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return;
#endif
    struct rlimit limit;
    int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
    for (int descriptor = first; descriptor < last; descriptor++) close(descriptor);
}

/* The numbers below 10 are about to be overwritten. */
static int out_of_the_way(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 10); }

static void become(const char *program, char *const argv[], char *const envp[], const int ends[3], pid_t parent) {
    setpgid(0, 0);
    /* A hook of a gateway that was killed will be run again: two at once would break the order. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    int input = out_of_the_way(ends[0]), output = out_of_the_way(ends[1]), status = out_of_the_way(ends[2]);
    if (dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2 && dup3(status, 3, O_CLOEXEC) == 3) {
        close_from(4);
        for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (chdir("/") == 0) execve(program, argv, envp);
        status = 3;
    }
    int error = errno;
    (void)!write(status, &error, sizeof error);
    _exit(127);
}

pid_t cb_spawn(const char *program, char *const argv[], char *const envp[], const int ends[3]) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) become(program, argv, envp, ends, parent);
    /* On both sides, so that the group exists whoever runs first. */
    if (child > 0) setpgid(child, child);
    return child;
}

int cb_reap(pid_t child, int *status) {
    siginfo_t info = {0};
    int failed;
    while ((failed = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT)) != 0 && errno == EINTR) {}
    if (failed == 0 && info.si_pid == 0) return 0;
    /* While it is not reaped its number, and so that of its group, belongs to nobody else. */
    kill(-child, SIGKILL);
    *status = 255 << 8;
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
    return 1;
}

int cb_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
int cb_exit_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : -1; }

void cb_default_sigchld(void) { signal(SIGCHLD, SIG_DFL); }

pid_t cb_run(char *const argv[], int ends[2]) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) return -1;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        if (dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1) execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    ends[0] = in[1];
    ends[1] = out[0];
    if (child < 0) {
        close(in[1]);
        close(out[0]);
    }
    return child;
}

int cb_wait(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 255;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

void cb_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0); }
