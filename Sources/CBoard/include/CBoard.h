/* The system libraries as Swift sees them, and the calls that Swift cannot make itself: macros, variadic functions, errno,
 * structures with flexible ends; and what a forked child does before it becomes another program. */
#ifndef CBOARD_H
#define CBOARD_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ares.h>
#include <expat.h>
#include <gpiod.h>
#include <ini.h>
#include <jansson.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sodium.h>
#include <sqlite3.h>
#include <zlib.h>

/* The command line, captured before main: Embedded Swift has no CommandLine. */
int cb_argc(void);
const char *cb_argv(int index);

/* The environment; a mutable global to Swift. */
char **cb_environ(void);

int cb_errno(void);
void cb_set_errno(int value);
/* open(2) and fcntl(2) are variadic. Every descriptor is close-on-exec. */
int cb_open(const char *path, int flags, unsigned mode);
/* accept4(2), a GNU extension: the new descriptor is non-blocking and close-on-exec. */
int cb_accept(int listener);
/* The same, and who it is. */
int cb_accept_from(int listener, struct sockaddr_storage *peer);
/* A listening TCP socket on an address, which may be bound although connections to it linger; -1 with errno. */
int cb_listen(const struct sockaddr *address, socklen_t length, int backlog);
/* Bounds every send, receive and connect on a blocking socket; the structure depends on the width of time_t. */
void cb_set_socket_timeout(int fd, int milliseconds);
/* SIG_IGN is a macro that casts. */
void cb_ignore_sigpipe(void);

/* A close-on-exec pipe whose end `ours` (0 reads, 1 writes) does not block. */
int cb_pipe(int ends[2], int ours);
/* Starts a program without a shell: in a process group of its own, with default signals, in /, with `ends` as its standard
 * input, output with error, and a pipe that gets an errno if it could not be started; no other descriptor is open. It
 * is killed when the caller dies. The child's number, or -1. */
pid_t cb_spawn(const char *program, char *const argv[], char *const envp[], const int ends[3]);
/* Whether the child has ended, without waiting; what is left of its group is then killed. The status is for the two
 * after it, which give -1 for what it is not. */
int cb_reap(pid_t child, int *status);
int cb_exit_code(int status);
int cb_exit_signal(int status);
/* Runs a program found in PATH with pipes to its standard input (ends[0]) and from its output (ends[1]); the terminal
 * and standard error stay the caller's. For commands: waits for nothing. The child's number, or -1. */
pid_t cb_run(char *const argv[], int ends[2]);
/* Waits for it: its exit code, or 255. */
int cb_wait(pid_t child);
/* No core dump of this process holds its keys, and no other process of the same user may read its memory. */
void cb_hide_memory(void);
/* Without this a parent that ignored SIGCHLD would take our children's ends away. */
void cb_default_sigchld(void);

/* Before SQLite is first used: its allocator, with the statistics whose mutex serialises it, and file names that are
 * never URIs. Then, for a connection: whether closing it moves the log into the database. */
int cb_sqlite3_config(const sqlite3_mem_methods *memory);
int cb_sqlite3_checkpoint_on_close(sqlite3 *database, int on);

/* Nanoseconds of CLOCK_BOOTTIME (counts suspend) and CLOCK_REALTIME. */
int64_t cb_boottime_ns(void);
int64_t cb_realtime_ns(void);
/* Nanoseconds spent in suspend since boot: CLOCK_BOOTTIME less CLOCK_MONOTONIC. */
int64_t cb_suspended_ns(void);
/* Whether the kernel says that its wall clock is synchronised (adjtimex(2)). */
int cb_clock_synchronised(void);
/* A timer that becomes readable when the wall clock is set and when the board wakes from suspend. Opens it with fd -1,
 * and arms it again after that; the descriptor, or -1. */
int cb_watch_clock(int fd);

/* A socket of rtnetlink that does not block; with `events`, for those of links, addresses and routes. */
int cb_netlink_open(int events);
/* recv(2) of what the kernel sent; 0 for what another process did. */
ssize_t cb_netlink_receive(int fd, void *buffer, size_t size);

/* Bytes written to a TCP socket that the other side's kernel has not confirmed yet, or -1 (tcp(7), SIOCOUTQ). */
int cb_unconfirmed(int fd);

/* Options of a TLS client that OpenSSL sets through macros: TLS 1.2 or newer, no tickets, no session cache, whole writes
 * that may be repeated from another address, released buffers, the peer's certificate asked for. */
void cb_ssl_ctx_configure(SSL_CTX *context);
/* The error code of a connection that ended without TLS's own goodbye. */
int cb_ssl_is_unexpected_eof(unsigned long code);
/* The error code of a server that answers the handshake in some other language. */
int cb_ssl_is_no_tls(unsigned long code);
/* Trusts the authorities of the system: where Debian's OpenSSL looks, which SSL_CERT_FILE and SSL_CERT_DIR change; without
 * these also where other distributions keep them, since a static binary may run on any. */
void cb_ssl_ctx_trust_system(SSL_CTX *context);
/* The certificates after the first of a PEM bundle, or NULL. The stack type is a macro. */
STACK_OF(X509) *cb_read_chain(const void *pem, int size);
/* A distinguished name on one line, control characters escaped. */
int cb_print_name(BIO *out, const X509_NAME *name);
void cb_free_chain(STACK_OF(X509) *chain);

/* Milliseconds until c-ares must be called again, at most max_ms. */
int cb_ares_timeout_ms(ares_channel channel, int max_ms);

/* The next edge of a line requested for events, without waiting: 1 became active, 0 became inactive, -1 with errno, which
 * is EAGAIN if there is none. Also how long ago it was by the kernel's monotonic clock, in milliseconds. */
int cb_gpiod_next_edge(int fd, int64_t *age_ms);

/* Allocations since the process began, split by who asked: Embedded Swift allocates with posix_memalign only, the
 * C libraries with malloc, calloc and realloc only. Counted where the linker wraps those four and free (see
 * cross/build --count-allocations); cb_alloc_counting() is 0 elsewhere. */
int cb_alloc_counting(void);
uint64_t cb_alloc_swift(void);
uint64_t cb_alloc_libraries(void);
/* Blocks allocated and not yet freed, by anyone. */
int64_t cb_alloc_live(void);

#endif
