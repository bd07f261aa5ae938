#!/bin/sh
# What cross/deploy does on the board. It is sent over standard input, followed by payload() (the files to install) and
# a call of main, so nothing of it begins before all of it has arrived and nothing of it is left there.
#
# POSIX sh and what every board has: dash and busybox run it. Answers for cross/deploy are lines `@KEY VALUE` on standard
# output; words for people go to standard error. Exit codes are those of cross/deploy.
# shellcheck disable=SC2317  # payload() and the call of main are added later

set -u
umask 022
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
unset SKYGLOWD_CONFIG

library=/usr/local/lib/skyglow
link=/usr/local/sbin/skyglowd
configuration=/etc/skyglow/skyglowd.conf
saved=$library/rollback
# Seconds without a process after which nothing is expected of it any more.
patience=15

# Writing must not end this script when the connection is lost: it finishes, or rolls back, alone.
say() { printf 'board: %s\n' "$*" >&2 || :; }
answer() { printf '@%s\n' "$*" || :; }
die() { # STATUS WORDS
    status=$1
    shift
    say "$*"
    exit "$status"
}

has() { command -v "$1" >/dev/null 2>&1; }

# limited SECONDS COMMAND…: killed after that long. timeout(1) is missing on some boards and has two syntaxes.
limited() {
    limit=$1
    shift
    "$@" </dev/null &
    child=$!
    (
        while [ "$limit" -gt 0 ] && kill -0 "$child"; do
            sleep 1
            limit=$((limit - 1))
        done
        kill -9 "$child"
    ) </dev/null >/dev/null 2>&1 &
    watcher=$!
    # The shell's own word about a program that a signal ended is for nobody.
    { wait "$child"; } 2>/dev/null
    result=$?
    { kill "$watcher" && wait "$watcher"; } 2>/dev/null
    return "$result"
}

skyglowd() { "$program" -c "$configuration" "$@"; }

# Seconds of a clock that nobody sets.
now() {
    read -r uptime _ </proc/uptime 2>/dev/null || uptime=$(date +%s)
    echo "${uptime%%.*}"
}

digest_of() { sha256sum <"$1" | cut -d ' ' -f 1; }

staged='' locked=''
clean_up() {
    [ -z "$staged" ] || rm -rf "$staged"
    [ -z "$locked" ] || rm -rf "$locked"
}

# --- Looking around

# Whether and how root's rights can be had.
probe() {
    answer machine "$(uname -m)"
    answer kernel "$(uname -s) $(uname -r)"
    if [ "$(id -u)" = 0 ]; then
        answer root is
    elif has sudo && sudo -n true 2>/dev/null; then
        answer root sudo
    elif has doas && doas -n true 2>/dev/null; then
        answer root doas
    elif has sudo; then
        answer root password
    else
        answer root none
    fi
}

manager() {
    if [ -d /run/systemd/system ] && has systemctl; then
        echo systemd
    elif [ -d /etc/init.d ]; then
        echo sysvinit
    else
        echo none
    fi
}

# As root: what there is.
survey() {
    for tool in sha256sum cat mv ln chmod mkdir df sed cmp readlink; do
        has "$tool" || die 69 "the board has no $tool"
    done
    answer manager "$(manager)"
    model=''
    [ ! -r /proc/device-tree/model ] || model=$(tr -d '\000' </proc/device-tree/model)
    answer model "$model"
    place=$library
    while [ ! -d "$place" ]; do
        place=${place%/*}
        place=${place:-/}
    done
    answer free "$(df -Pk "$place" | sed -n '2s/^.* \([0-9][0-9]*\)  *[0-9][0-9]*% .*$/\1/p')"
    if [ -e "$configuration" ]; then answer configuration yes; else answer configuration no; fi
    if [ -e "$link" ]; then answer current "$(readlink "$link" || echo "$link")"; else answer current none; fi
}

# --- The binary

# offer DIGEST SHA256: is it there already, or a part of it?
offer() {
    for file in "$library"/skyglowd-*-"$1"; do
        if [ -f "$file" ] && [ "$(digest_of "$file")" = "$2" ]; then
            version=${file#"$library/skyglowd-"}
            answer have "$file" "${version%-"$1"}"
            return
        fi
    done
    part=$library/skyglowd-$1.part
    [ -f "$part" ] || return 0
    answer part "$(wc -c <"$part" | tr -d ' ')" "$(digest_of "$part")"
}

# accept DIGEST SHA256: what was copied becomes a program, if it is whole and runs here.
accept() {
    part=$library/skyglowd-$1.part
    [ "$(digest_of "$part")" = "$2" ] || {
        rm -f "$part"
        die 74 "the copy differs from what was sent; removed it"
    }
    chmod 755 "$part" || die 73 "cannot make $part executable"
    output=$(limited 30 "$part" --version 2>&1)
    result=$?
    # Without end marks in the pattern: any version with characters of no meaning to a shell.
    version=$(printf '%s\n' "$output" | sed -n '1s/^skyglowd \([A-Za-z0-9.+~-]*\)\( .*\)*$/\1/p')
    if [ "$result" != 0 ] || [ -z "$version" ]; then
        rm -f "$part"
        [ "$result" -lt 128 ] || output="ended by signal $((result - 128)) $output"
        die 65 "the new skyglowd does not run here (exit $result): $(printf '%s' "$output" | head -n 3)"
    fi
    sync
    file=$library/skyglowd-$version-$1
    mv -f "$part" "$file" || die 73 "cannot rename $part"
    sync
    answer have "$file" "$version"
}

# Takes back what was copied, unless it is in use.
forget() {
    [ "$(readlink "$link")" = "$1" ] || rm -f "$1"
    rmdir "$library" 2>/dev/null
    :
}

# --- Configuration and certificate

# The configuration that is in force, or the one that would be written, in a private place.
stage_configuration() {
    [ ! -e "$configuration" ] || return 0
    staged=$library/setup.$$
    rm -rf "$staged"
    mkdir -m 700 "$staged" || die 73 "cannot make $staged"
    trap clean_up EXIT
    configuration=$staged/skyglowd.conf
    payload configuration >"$configuration" || die 74 "cannot write $configuration"
}

# inspect PROGRAM: would it accept the configuration, and is a certificate pinned?
inspect() {
    program=$1
    stage_configuration
    output=$(limited 30 skyglowd check 2>&1) ||
        die 78 "the new skyglowd refuses the configuration; nothing was changed: $output"
    limited 30 skyglowd certificate show >/dev/null 2>&1
    case $? in
    0) answer certificate pinned ;;
    78) answer certificate unneeded ;;
    *) answer certificate missing ;;
    esac
}

# fetch PROGRAM [URL]: shows the server's certificate; nothing is stored.
fetch() {
    program=$1
    stage_configuration
    set -- ${2:+--from "$2"}
    output=$(limited 60 skyglowd certificate fetch "$@" 2>&1)
    printf '%s\n' "$output" | sed -n 's/^\( *SHA-256 *\)\([0-9a-f]\{64\}\)$/@fingerprint \2/p'
    # Without the question, which is asked elsewhere.
    printf '%s\n' "$output" | sed '/^Is this/d; s/^skyglowd: //; s/^/board: /' >&2
}

# Stores the certificate if it still is the one that was shown.
pin() {
    set -- ${url:+--from "$url"}
    output=$(limited 60 skyglowd certificate fetch --yes --fingerprint "$fingerprint" "$@" 2>&1) ||
        die 69 "the certificate could not be stored: $output"
}

# --- The service

account=skyglow

# Makes the account that the gateway runs as, in the group of the GPIO chips and LEDs. Fails if there is no way to: systemd
# does not start a unit one of whose groups is missing.
make_account() {
    # Also where the account is there already: the group may not be.
    if has systemd-sysusers && [ -e /etc/sysusers.d/skyglow.conf ]; then
        systemd-sysusers /etc/sysusers.d/skyglow.conf
    fi
    if id "$account"; then
        :
    elif has useradd; then
        useradd --system --user-group --home-dir /var/lib/skyglow --no-create-home --shell /usr/sbin/nologin "$account"
    elif has adduser && has addgroup; then
        addgroup -S "$account"
        adduser -S -D -H -h /var/lib/skyglow -s /bin/false -G "$account" "$account"
    fi
    id "$account" || return
    if ! grep -q '^gpio:' /etc/group; then
        if has groupadd; then groupadd --system gpio; elif has addgroup; then addgroup -S gpio; fi
    fi
    if has usermod; then usermod -a -G gpio "$account"; elif has addgroup; then addgroup "$account" gpio; fi
    grep -q '^gpio:' /etc/group
} >/dev/null 2>&1

# Each file to install: its name in the payload, its path, its mode.
files() {
    case $(manager) in
    systemd)
        echo "unit /etc/systemd/system/skyglowd.service 644"
        echo "sysusers /etc/sysusers.d/skyglow.conf 644"
        echo "tmpfiles /etc/tmpfiles.d/skyglow.conf 644"
        echo "modules-load /etc/modules-load.d/skyglow.conf 644"
        ;;
    sysvinit) echo "init /etc/init.d/skyglowd 755" ;;
    none) echo "init $library/skyglowd.init 755" ;;
    esac
    [ ! -d /etc/udev ] || echo "udev /etc/udev/rules.d/60-skyglow.rules 644"
    echo "man8 /usr/local/share/man/man8/skyglowd.8 644"
    echo "man5 /usr/local/share/man/man5/skyglowd.conf.5 644"
}

# Succeeds if a file that is offered is missing or different.
files_differ() {
    files | while read -r name path _; do
        payload_has "$name" || continue
        [ -f "$path" ] || echo differs
        payload "$name" | cmp -s - "$path" || echo differs
    done | grep -q differs
}

# Puts the files into their places; what was there is kept until the new gateway has proved itself.
install_files() {
    rm -rf "$saved"
    mkdir -m 700 "$saved" || die 73 "cannot make $saved"
    printf '%s\n' "$previous" >"$saved/previous"
    : >"$saved/list"
    files >"$saved/files"
    count=0
    while read -r name path mode; do
        payload_has "$name" || continue
        mkdir -p "${path%/*}" || return
        payload "$name" >"$path.new" && chmod "$mode" "$path.new" || return
        if cmp -s "$path.new" "$path"; then
            rm -f "$path.new"
            continue
        fi
        count=$((count + 1))
        if [ -e "$path" ]; then
            cp -p "$path" "$saved/$count" || return
            echo "old $count $path" >>"$saved/list"
        else
            echo "new $count $path" >>"$saved/list"
        fi
        mv -f "$path.new" "$path" || return
    done <"$saved/files"
}

restore_files() {
    [ -e "$saved/list" ] || return 0
    while read -r kind count path; do
        case $kind in
        old) cp -p "$saved/$count" "$path.new" && mv -f "$path.new" "$path" ;;
        new) rm -f "$path" ;;
        esac
    done <"$saved/list"
}

# For what goes wrong before anything is switched.
undo_files() {
    restore_files
    announce_files
    rm -rf "$saved"
}

# Tells whoever must know that the files are there.
announce_files() {
    if [ "$(manager)" = systemd ]; then
        systemctl daemon-reload >&2
        [ ! -e /etc/tmpfiles.d/skyglow.conf ] || ! has systemd-tmpfiles ||
            systemd-tmpfiles --create /etc/tmpfiles.d/skyglow.conf >&2
    fi
    if has modprobe; then
        for module in ledtrig-timer ledtrig-pattern; do modprobe "$module"; done >/dev/null 2>&1
    fi
    if [ -e /etc/udev/rules.d/60-skyglow.rules ] && has udevadm; then
        udevadm control --reload
        udevadm trigger --subsystem-match=gpio --subsystem-match=leds --subsystem-match=pwm
        # Or the gateway would find an LED that it may not use yet, and try again only 10 s later.
        udevadm settle --timeout=5
    fi >/dev/null 2>&1
    :
}

initscript() {
    if [ "$(manager)" = none ]; then echo "$library/skyglowd.init"; else echo /etc/init.d/skyglowd; fi
}

service_start() {
    if [ "$(manager)" = systemd ]; then
        systemctl reset-failed skyglowd.service >/dev/null 2>&1
        systemctl start --no-block skyglowd.service >&2
    elif [ -x "$(initscript)" ]; then
        # Not to hold the connection by its output.
        limited 60 "$(initscript)" start >"$saved/start" 2>&1 || sed 's/^/board: /' "$saved/start" >&2
    fi
}

# service_stop PROGRAM: the gateway, which is PROGRAM if it is known. It answers for itself: a new one may be broken.
service_stop() {
    if [ "$(manager)" = systemd ]; then
        systemctl stop skyglowd.service >/dev/null 2>&1
    elif [ -x "$(initscript)" ]; then
        limited 60 "$(initscript)" stop >/dev/null 2>&1
    fi
    # One that is no service, or is not known to it, would keep the state directory.
    asked=$program
    program=${1:-$program}
    state
    if [ "$state" != stopped ]; then
        say "a skyglowd that is no service is running; stopping it"
        limited 30 skyglowd stop >/dev/null 2>&1
    fi
    for process in $(processes "$program"); do kill -9 "$process"; done
    program=$asked
}

service_enable() {
    case $(manager) in
    systemd) systemctl enable skyglowd.service >/dev/null 2>&1 ;;
    sysvinit)
        if has update-rc.d; then
            update-rc.d skyglowd defaults
        elif has rc-update; then
            rc-update add skyglowd default
        elif [ -e /etc/init.d/rcS ] && ! [ -e /etc/init.d/S90skyglowd ]; then
            ln -s skyglowd /etc/init.d/S90skyglowd
        fi >/dev/null 2>&1
        ;;
    none) say "no service manager is known here: run $library/skyglowd.init start at boot" ;;
    esac
}

service_disable() {
    case $(manager) in
    systemd) systemctl disable skyglowd.service ;;
    sysvinit)
        ! has update-rc.d || update-rc.d skyglowd remove
        rm -f /etc/init.d/S90skyglowd
        ;;
    esac >/dev/null 2>&1
    :
}

# --- The gateway's word

# Sets `state`: what the running gateway says, or `stopped`.
state() {
    state=$(limited 10 skyglowd status --json 2>/dev/null | sed -n 's/.*"state":"\([a-z-]*\)".*/\1/p')
    state=${state:-stopped}
}

# The gateways that are this program: `… run`, not somebody's `skyglowd log -f`.
processes() {
    for directory in /proc/[0-9]*; do
        # shellcheck disable=SC3013  # dash and busybox know -ef
        [ "$directory/exe" -ef "$1" ] || continue
        case $(tr '\000' ' ' <"$directory/cmdline") in
        *" run ") echo "${directory#/proc/}" ;;
        esac
    done 2>/dev/null
}

good() {
    case $state in
    connected) ;;
    # Its own word that there is nothing to connect to.
    unconfigured) ;;
    *) return 1 ;;
    esac
}

# Waits for `program`: in a good state for $settle seconds, as one and the same process. Tells each change.
await_word() {
    steady=$(now) born=$steady end=$((steady + timeout)) told='' process='' gone=''
    while :; do
        state
        running=$(processes "$program" | head -n 1)
        time=$(now)
        [ -n "$running" ] || state=stopped
        [ "$state" = "$told" ] || say "$state"
        told=$state
        [ "$running" = "$process" ] || born=$time
        process=$running
        good || steady=$time
        if [ $((time - steady)) -ge "$settle" ] && [ $((time - born)) -ge "$settle" ] && good; then return 0; fi
        if [ "$state" = stopped ]; then
            gone=${gone:-$time}
            if [ $((time - gone)) -ge "$patience" ]; then
                say "it does not stay alive"
                return 1
            fi
        else
            gone=''
        fi
        if [ "$time" -ge "$end" ]; then
            say "not connected within $timeout s"
            return 1
        fi
        sleep 1
    done
}

# After `await_word` in vain: whether the gateway does as well as the one before, which was not connected either. Then it
# is the server or the network that is away, and no reason to go back.
no_worse() {
    case $before in
    stopped | connected) return 1 ;;
    esac
    case $state in
    "$before" | resolving | connecting | registering | authenticating | backing-off | no-network) ;;
    *) return 1 ;;
    esac
    [ $((time - born)) -ge "$settle" ] || return 1
    say "neither was the one before ($before): it stays"
}

# The last lines of its log, or what the service manager has.
last_words() {
    lines=$(limited 10 skyglowd log -n 20 2>/dev/null)
    if [ -z "$lines" ] && [ "$(manager)" = systemd ] && has journalctl; then
        lines=$(limited 10 journalctl -q -u skyglowd.service -n 20 --no-pager 2>/dev/null)
    fi
    [ -n "$lines" ] || lines=$(cat "$saved/start" 2>/dev/null)
    if [ -n "$lines" ]; then
        say "the last lines of its log:"
        printf '%s\n' "$lines" | sed 's/^/  /' >&2
    else
        say "it has left no log"
    fi
}

# --- The database

# Sets `directory`: that of the state.
find_state() {
    directory=$(sed -n '/^[[:space:]]*\[state\]/,/^[[:space:]]*\[/s|^[[:space:]]*directory[[:space:]]*=[[:space:]]*\(/[^#;]*[^#;[:space:]]\).*$|\1|p' \
        "$configuration" 2>/dev/null | tail -n 1)
    directory=${directory:-/var/lib/skyglow}
}

# Keeps a copy of the database as the old gateway has left it: a newer one may give it tables that the old one refuses.
# What belongs to the gateway's account is never followed where it is a link.
keep_state() {
    find_state
    for name in skyglow.db skyglow.db-wal; do
        [ ! -f "$directory/$name" ] || cp -pP "$directory/$name" "$saved/$name" || return
    done
}

# Gives the old gateway, `previous`, the database that it left, if it refuses the one that is there now. That one is kept.
restore_state() {
    [ -f "$saved/skyglow.db" ] || return 0
    find_state
    asked=$program program=$previous
    words=$(limited 30 skyglowd inbox -n 1 2>&1)
    result=$?
    program=$asked
    [ "$result" = 65 ] || return 0
    say "${previous##*/} refuses the database that the new one leaves: ${words#skyglowd: }"
    newer=$directory/skyglow.db.newer
    rm -f "$newer" "$newer-wal" "$directory/skyglow.db-shm" "$directory/skyglow.db.old"
    # The database is never missing, or the gateway would begin a new life.
    if ln "$directory/skyglow.db" "$newer" && cp -pP "$saved/skyglow.db" "$directory/skyglow.db.old" && sync; then
        [ ! -e "$directory/skyglow.db-wal" ] || mv -f "$directory/skyglow.db-wal" "$newer-wal"
        mv -f "$directory/skyglow.db.old" "$directory/skyglow.db"
        [ ! -f "$saved/skyglow.db-wal" ] || cp -pP "$saved/skyglow.db-wal" "$directory/skyglow.db-wal"
        sync
        say "it has again the one it left; what came in since is in $newer"
    else
        rm -f "$directory/skyglow.db.old"
        say "and the one it left could not be put back: it is $saved/skyglow.db"
        kept=yes
    fi
}

# --- Switching

# The link to $1, in one step: at no moment is there no skyglowd.
point_to() {
    mkdir -p "${link%/*}" &&
        rm -f "$link.new" &&
        ln -s "$1" "$link.new" &&
        mv -f "$link.new" "$link" &&
        sync
}

# Sets `previous`: what the link leads to. A binary that was put there by hand is kept as if it had been deployed.
find_previous() {
    previous=''
    if [ -L "$link" ]; then
        previous=$(readlink "$link")
        [ -x "$previous" ] || previous=''
    elif [ -d "$link" ]; then
        die 73 "$link is a directory"
    elif [ -e "$link" ]; then
        previous=$library/skyglowd-unknown-$(digest_of "$link" | cut -c 1-12)
        cp -p "$link" "$previous" || die 73 "cannot keep $link as $previous"
    elif [ -x /usr/sbin/skyglowd ]; then
        # That of a package, whose files stay as they are below those that are deployed.
        previous=/usr/sbin/skyglowd
    fi
}

# The process that holds the lock, if it still is a deploy and not something else that has its number after a reboot.
lock_holder() {
    holder=$(readlink "$library/deploying") && [ -r "/proc/$holder/cmdline" ] || return
    case $(tr '\000' ' ' <"/proc/$holder/cmdline") in
    *" switch "*) ;;
    *) return 1 ;;
    esac
}

# The lock is a link to the number of its process: made and taken in one step, so there is no moment without a number.
lock() {
    ln -s $$ "$library/deploying" 2>/dev/null || {
        ! lock_holder || die 75 "another deploy is at work (process $holder)"
        # Who takes the old one away may make a new one.
        mv "$library/deploying" "$library/deploying.$$" 2>/dev/null && rm -rf "$library/deploying.$$"
        ln -s $$ "$library/deploying" || die 75 "another deploy is at work"
    }
    locked=$library/deploying
    trap clean_up EXIT
}

# The two newest binaries beside the current one stay.
remove_old() {
    number=0
    # The names are ours: no spaces.
    # shellcheck disable=SC2012
    ls -t "$library"/skyglowd-*-* 2>/dev/null | while read -r file; do
        case $file in
        "$program" | *.part) continue ;;
        esac
        number=$((number + 1))
        [ "$number" -le 2 ] || rm -f "$file"
    done
    rm -f "$library"/skyglowd-*.part
    rm -rf "$saved"
}

roll_back() {
    last_words
    kept=''
    service_stop "$program"
    restore_files
    if [ -z "$previous" ]; then
        service_disable
        rm -f "$link"
        announce_files
        forget_saved
        die 70 "there is no earlier skyglowd: stopped and removed the new one; configuration and certificate stay"
    fi
    say "going back to ${previous##*/}"
    point_to "$previous"
    announce_files
    restore_state
    program=$previous
    if [ "$before" = stopped ]; then
        forget_saved
        die 70 "rolled back; the gateway was not running before and is not now"
    fi
    service_start
    await_word || {
        last_words
        die 71 "rolled back, but ${previous##*/} does not connect either (before, it was: $before)"
    }
    forget_saved
    die 70 "rolled back: ${previous##*/} is running again"
}

# What was kept for going back, unless it is the only copy of something.
forget_saved() { [ -n "${kept-}" ] || rm -rf "$saved"; }

# A deploy that a power cut ended has left a gateway that never proved itself. If it has not done so since, what was before
# comes back first, so that this deploy has something good to go back to.
recover() {
    [ -e "$saved/previous" ] || return 0
    read -r previous <"$saved/previous" || previous=''
    kept=''
    program=$(readlink "$link") || program=$link
    state
    if good && [ -n "$(processes "$program")" ]; then
        rm -rf "$saved"
        return
    fi
    say "an earlier deploy was interrupted; undoing it first"
    service_stop "$program"
    restore_files
    if [ -n "$previous" ] && [ -x "$previous" ]; then
        point_to "$previous"
        announce_files
        restore_state
        program=$previous
        service_start
        await_word || :
    else
        rm -f "$link"
        announce_files
    fi
    [ -z "$kept" ] || die 74 "nothing was switched"
}

# switch PROGRAM FINGERPRINT URL TIMEOUT SETTLE: everything that changes the board. An empty FINGERPRINT: nothing to pin.
switch() {
    program=$1 fingerprint=$2 url=$3 timeout=$4 settle=$5
    trap : HUP PIPE
    lock
    recover
    find_previous
    # The old one answers for itself: what the new one says of it may be as broken as the new one.
    program=${previous:-$1}
    state
    before=$state
    program=$1
    if [ "$previous" = "$program" ] && [ -z "$fingerprint" ] && good && [ -n "$(processes "$program")" ] &&
        ! files_differ; then
        answer result already "$state"
        return
    fi
    adopt_configuration
    install_files || {
        undo_files
        die 73 "the files of the service could not be written; nothing was switched"
    }
    make_account || {
        undo_files
        die 69 "there is no account $account and no useradd or adduser to make it; nothing was switched"
    }
    own_state
    announce_files
    [ "$before" = stopped ] || say "stopping ${previous:+${previous##*/}}"
    service_stop "$previous"
    keep_state || {
        undo_files
        [ "$before" = stopped ] || service_start
        die 74 "no copy of the database could be kept; nothing was switched"
    }
    touch "$program"
    point_to "$program" || {
        undo_files
        [ "$before" = stopped ] || service_start
        die 73 "cannot switch $link"
    }
    say "starting ${program##*/}"
    service_enable
    service_start
    await_word || no_worse || roll_back
    remove_old
    answer result "$state"
}

# The new configuration comes into force after the certificate: with it, the gateway can run.
adopt_configuration() {
    final=$configuration
    stage_configuration
    [ -z "$fingerprint" ] || pin
    [ "$configuration" != "$final" ] || return 0
    if ! { mkdir -p "${final%/*}" && cp "$configuration" "$final.new" && mv -f "$final.new" "$final"; }; then
        die 73 "cannot write $final"
    fi
    configuration=$final
}

# What root has made in the state directory belongs to the gateway.
own_state() {
    id "$account" >/dev/null 2>&1 && [ -d /var/lib/skyglow ] || return 0
    chown -h "$account:$account" /var/lib/skyglow
    # -h: the directory is the account's, which must not be able to have root give it something else.
    [ ! -f /var/lib/skyglow/server.pem ] || chown -h "$account:$account" /var/lib/skyglow/server.pem
}

main() {
    action=$1
    shift
    "$action" "$@"
}
