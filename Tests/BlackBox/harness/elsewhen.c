/* elsewhen FILE COMMAND…: runs COMMAND with a wall clock that is wrong by the seconds in FILE, however it is linked.
 *
 * The command keeps the process id. A tracer beside it takes the kernel's clock out of its memory (the vDSO), so that it
 * has to ask, and changes the answers: seccomp stops it at these calls and at no others. x86-64, and for root, since
 * skyglowd lets nobody else look into its memory. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *wrong;

static void fail(const char *what) {
    perror(what);
    _exit(71);
}

static uint64_t peek(pid_t pid, uint64_t at) { return (uint64_t)ptrace(PTRACE_PEEKDATA, pid, at, 0); }
static void add(pid_t pid, uint64_t at, int64_t seconds) {
    if (ptrace(PTRACE_POKEDATA, pid, at, peek(pid, at) + (uint64_t)seconds)) fail("elsewhen: poke");
}

/* A new program: its stack begins with the count of arguments, these, the environment and what the kernel tells it. */
static void take_vdso(pid_t pid) {
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, pid, 0, &registers);
    uint64_t at = registers.rsp + 8 * (peek(pid, registers.rsp) + 2);
    while (peek(pid, at)) at += 8;
    for (at += 8; peek(pid, at) != AT_NULL; at += 16) {
        if (peek(pid, at) == AT_SYSINFO_EHDR) ptrace(PTRACE_POKEDATA, pid, at, AT_IGNORE);
    }
}

/* Waits for the process; ends with it. */
static int stopped(pid_t pid) {
    int status;
    if (waitpid(pid, &status, __WALL) < 0 || !WIFSTOPPED(status)) _exit(0);
    return status;
}

/* Lets the call be made. Signals that come meanwhile are delivered after it. */
static void finish(pid_t pid, struct user_regs_struct *registers) {
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
    int status = stopped(pid);
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
        fprintf(stderr, "elsewhen: stop %x in the middle of a call\n", status);
        _exit(71);
    }
    ptrace(PTRACE_GETREGS, pid, 0, registers);
}

static void call(pid_t pid) {
    struct user_regs_struct r;
    ptrace(PTRACE_GETREGS, pid, 0, &r);
    int64_t away = *wrong;
    switch (r.orig_rax) {
    case SYS_clock_gettime:
        if (r.rdi != CLOCK_REALTIME && r.rdi != CLOCK_REALTIME_COARSE) break;
        finish(pid, &r);
        if (r.rax == 0) add(pid, r.rsi, away);
        break;
    case SYS_gettimeofday:
        finish(pid, &r);
        if (r.rax == 0 && r.rdi) add(pid, r.rdi, away);
        break;
    case SYS_time:
        finish(pid, &r);
        if (r.rdi) add(pid, r.rdi, away);
        r.rax += (uint64_t)away;
        ptrace(PTRACE_SETREGS, pid, 0, &r);
        break;
    case SYS_timerfd_settime: {
        /* Alarms by the wall clock are meant by the wrong one. */
        if (!(r.rsi & TFD_TIMER_ABSTIME)) break;
        uint64_t at = r.rdx + offsetof(struct itimerspec, it_value);
        if (!peek(pid, at)) break;
        add(pid, at, -away);
        finish(pid, &r);
        add(pid, at, away);
        break;
    }
    }
}

static void trace(pid_t pid) {
    for (;;) {
        int status = stopped(pid), event = status >> 16, number = WSTOPSIG(status);
        int stop = number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
        if (event == PTRACE_EVENT_STOP && stop) {
            ptrace(PTRACE_LISTEN, pid, 0, 0);
            continue;
        }
        if (event == PTRACE_EVENT_EXEC) take_vdso(pid);
        if (event == PTRACE_EVENT_SECCOMP) call(pid);
        ptrace(PTRACE_CONT, pid, 0, event ? 0 : number);
    }
}

static void start_tracer(pid_t pid, int ready) {
    if (fork()) _exit(0); /* so that it is nobody's child */
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD;
    if (ptrace(PTRACE_SEIZE, pid, 0, options)) fail("elsewhen: seize");
    if (write(ready, "", 1) != 1) _exit(71);
    close(ready);
    trace(pid);
}

#define STOP_AT(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

int main(int count, char **arguments) {
    if (count < 3) return 64;
    int file = open(arguments[1], O_RDONLY | O_CLOEXEC), ready[2];
    wrong = mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    if (wrong == MAP_FAILED || pipe2(ready, O_CLOEXEC)) fail(arguments[1]);
    pid_t pid = getpid(), child = fork();
    if (child == 0) {
        close(ready[0]);
        start_tracer(pid, ready[1]);
    }
    close(ready[1]);
    waitpid(child, 0, 0);
    char byte;
    if (read(ready[0], &byte, 1) != 1) return 71;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        STOP_AT(SYS_clock_gettime), STOP_AT(SYS_gettimeofday), STOP_AT(SYS_time), STOP_AT(SYS_timerfd_settime),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("elsewhen: seccomp");
    execvp(arguments[2], arguments + 2);
    fail(arguments[2]);
}
