#!/usr/bin/env python3
"""What a file system answers, as one line per case, so that two of them can be compared.

usage: matrix.py DIR [PART...]

Every operation is tried on every kind of object, by several users, in directories of several
permissions; a line tells the error, or what changed: modes, owners, links, sizes, which times moved.
Nothing in it depends on the moment or on numbers of nodes.
"""
import errno, mmap, os, socket, stat, struct, sys, ctypes, itertools, fcntl, time

ROOT = os.path.abspath(sys.argv[1])
OLD = 1_000_000_000
libc = ctypes.CDLL(None, use_errno=True)
lines = 0


def say(*words):
    global lines
    lines += 1
    print(*words)


def outcome(call):
    try:
        value = call()
        return "ok" if value is None else f"ok {value}"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    except ValueError as error:
        return "ValueError"


def as_user(uid, gid, groups, call):
    """Runs a call in a child process of that user; its outcome as text."""
    if uid == 0 and not groups:
        os.umask(0o022)
        return outcome(call)
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            os.umask(0o022)
            text = outcome(call)
        except BaseException as error:
            text = f"child: {error!r}"
        os.write(w, text.encode())
        os._exit(0)
    os.close(w)
    text = b""
    while part := os.read(r, 4096):
        text += part
    os.close(r)
    os.waitpid(pid, 0)
    return text.decode()


def check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def renameat2(a, b, flags):
    check(libc.syscall(316 if os.uname().machine == "x86_64" else 276, -100, os.fsencode(a), -100, os.fsencode(b), flags))


def link_follow(a, b):
    check(libc.linkat(-100, os.fsencode(a), -100, os.fsencode(b), 0x400))


def fallocate(fd, mode, offset, length):
    check(libc.fallocate64(fd, ctypes.c_int(mode), ctypes.c_int64(offset), ctypes.c_int64(length)))


KINDS = ["file", "dir", "fulldir", "symlink", "dirlink", "dangling", "fifo", "socket", "missing"]


def make(path, kind, uid=0, gid=0, mode=None):
    if kind == "file":
        with open(path, "wb") as f:
            f.write(b"content of a file")
    elif kind in ("dir", "fulldir"):
        os.mkdir(path)
        if kind == "fulldir":
            open(path + "/entry", "w").close()
    elif kind == "symlink":
        make(path + ".target", "file", uid, gid, mode)
        os.symlink(os.path.basename(path) + ".target", path)
    elif kind == "dirlink":
        make(path + ".target", "dir", uid, gid, mode)
        os.symlink(os.path.basename(path) + ".target", path)
    elif kind == "dangling":
        os.symlink("nowhere-at-all", path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        s = socket.socket(socket.AF_UNIX)
        here = os.getcwd()
        os.chdir(os.path.dirname(path))
        s.bind(os.path.basename(path))
        os.chdir(here)
        s.close()
    elif kind == "missing":
        return
    os.lchown(path, uid, gid)
    if mode is not None and kind not in ("symlink", "dirlink", "dangling"):
        os.chmod(path, mode)


def age(path):
    try:
        os.utime(path, ns=(OLD * 10**9 + 1, OLD * 10**9 + 2), follow_symlinks=False)
    except OSError:
        pass


def state(path):
    try:
        s = os.lstat(path)
    except OSError as error:
        return errno.errorcode[error.errno]
    moved = "" if s.st_mtime_ns == OLD * 10**9 + 2 else " mtime"
    size = "" if stat.S_ISDIR(s.st_mode) else f" {s.st_size}"
    return f"{oct(s.st_mode)} {s.st_uid}:{s.st_gid} x{s.st_nlink}{size}{moved}"


def wipe(folder):
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            os.chmod(path, 0o700)
            wipe(path)
            os.rmdir(path)
        else:
            os.unlink(path)


serial = 0


def fresh(mode=0o755, uid=0, gid=0):
    global serial
    serial += 1
    path = f"{ROOT}/c{serial}"
    os.mkdir(path)
    os.chown(path, uid, gid)
    os.chmod(path, mode)
    return path


def done(path):
    os.chmod(path, 0o700)
    wipe(path)
    os.rmdir(path)


def opener(flags, mode=0o666):
    def call(d):
        fd = os.open(d + "/a", flags | os.O_NONBLOCK, mode)
        os.close(fd)
    return call


def write_some(d):
    fd = os.open(d + "/a", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return os.write(fd, b"xyz")
    finally:
        os.close(fd)


# Operations on one object `a` (and a second, `b`) in a directory.
SINGLE = {
    "stat": lambda d: oct(os.stat(d + "/a").st_mode),
    "lstat": lambda d: oct(os.lstat(d + "/a").st_mode),
    "access r": lambda d: os.access(d + "/a", os.R_OK, effective_ids=True),
    "access w": lambda d: os.access(d + "/a", os.W_OK, effective_ids=True),
    "access x": lambda d: os.access(d + "/a", os.X_OK, effective_ids=True),
    "open r": opener(os.O_RDONLY),
    "open w": opener(os.O_WRONLY),
    "open rw": opener(os.O_RDWR),
    "open trunc": opener(os.O_WRONLY | os.O_TRUNC),
    "open creat": opener(os.O_WRONLY | os.O_CREAT),
    "open excl": opener(os.O_WRONLY | os.O_CREAT | os.O_EXCL),
    "open creat trunc": opener(os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o4755),
    "open nofollow": opener(os.O_RDONLY | os.O_NOFOLLOW),
    "open directory": opener(os.O_RDONLY | os.O_DIRECTORY),
    "open below": lambda d: os.close(os.open(d + "/a/below", os.O_RDONLY)),
    "creat below": lambda d: os.close(os.open(d + "/a/below", os.O_WRONLY | os.O_CREAT)),
    "write": write_some,
    "truncate 0": lambda d: os.truncate(d + "/a", 0),
    "truncate 5": lambda d: os.truncate(d + "/a", 5),
    "truncate 9000": lambda d: os.truncate(d + "/a", 9000),
    "truncate negative": lambda d: os.truncate(d + "/a", -1),
    "chmod 640": lambda d: os.chmod(d + "/a", 0o640),
    "chmod 6711": lambda d: os.chmod(d + "/a", 0o6711),
    "chmod 1777": lambda d: os.chmod(d + "/a", 0o1777),
    "chown self": lambda d: os.chown(d + "/a", os.geteuid(), -1),
    "chown other": lambda d: os.chown(d + "/a", 4000, -1),
    "chgrp own": lambda d: os.chown(d + "/a", -1, os.getegid()),
    "chgrp other": lambda d: os.chown(d + "/a", -1, 4000),
    "chown none": lambda d: os.chown(d + "/a", -1, -1),
    "lchown other": lambda d: os.lchown(d + "/a", 4000, 4000),
    "utime now": lambda d: os.utime(d + "/a"),
    "utime set": lambda d: os.utime(d + "/a", ns=(5_000_000_007, 6_000_000_008)),
    "utime link": lambda d: os.utime(d + "/a", ns=(5_000_000_007, 6_000_000_008), follow_symlinks=False),
    "unlink": lambda d: os.unlink(d + "/a"),
    "rmdir": lambda d: os.rmdir(d + "/a"),
    "mkdir": lambda d: os.mkdir(d + "/a"),
    "mkdir mode": lambda d: os.mkdir(d + "/a", 0o7777),
    "mkdir below": lambda d: os.mkdir(d + "/a/below"),
    "mkfifo": lambda d: os.mkfifo(d + "/a", 0o640),
    "mknod file": lambda d: os.mknod(d + "/a", stat.S_IFREG | 0o640),
    "symlink": lambda d: os.symlink("target", d + "/a"),
    "symlink below": lambda d: os.symlink("target", d + "/a/below"),
    "readlink": lambda d: os.readlink(d + "/a"),
    "listdir": lambda d: sorted(os.listdir(d + "/a")),
    "link": lambda d: os.link(d + "/a", d + "/l", follow_symlinks=False),
    "link followed": lambda d: link_follow(d + "/a", d + "/l"),
    "link below": lambda d: os.link(d + "/a", d + "/a/below", follow_symlinks=False),
    "rename away": lambda d: os.rename(d + "/a", d + "/z"),
    "rename itself": lambda d: os.rename(d + "/a", d + "/a"),
    "rename below": lambda d: os.rename(d + "/a", d + "/a/below"),
    "rename slash": lambda d: os.rename(d + "/a/", d + "/z"),
    "unlink slash": lambda d: os.unlink(d + "/a/"),
    "rmdir dot": lambda d: os.rmdir(d + "/a/."),
    "rmdir dotdot": lambda d: os.rmdir(d + "/a/.."),
    "setxattr": lambda d: os.setxattr(d + "/a", "user.name", b"value"),
    "getxattr": lambda d: os.getxattr(d + "/a", "user.none"),
    "xattr nonsense": lambda d: os.setxattr(d + "/a", "nonsense", b"value"),
    "listxattr": lambda d: os.listxattr(d + "/a"),
    "removexattr": lambda d: os.removexattr(d + "/a", "user.none"),
    "name 255": lambda d: os.rename(d + "/a", d + "/" + "n" * 255),
    "name 256": lambda d: os.rename(d + "/a", d + "/" + "n" * 256),
    "create 256": lambda d: os.mkdir(d + "/" + "n" * 256),
    "lookup 256": lambda d: os.stat(d + "/" + "n" * 256),
}

PAIR = {
    "rename": lambda d: os.rename(d + "/a", d + "/b"),
    "noreplace": lambda d: renameat2(d + "/a", d + "/b", 1),
    "exchange": lambda d: renameat2(d + "/a", d + "/b", 2),
    "both flags": lambda d: renameat2(d + "/a", d + "/b", 3),
    "link": lambda d: os.link(d + "/a", d + "/b", follow_symlinks=False),
    "rename into": lambda d: os.rename(d + "/a", d + "/b/inner"),
    "exchange into": lambda d: renameat2(d + "/a", d + "/b/entry", 2),
}

USERS = {
    "root": (0, 0, []),
    "owner": (4001, 4001, []),
    "member": (4002, 4002, [4001]),
    "other": (4003, 4003, []),
}
NAMES = {0: "root"}


def singles():
    for kind, (op, call), (who, (uid, gid, groups)) in itertools.product(KINDS, SINGLE.items(), USERS.items()):
        for parent_mode in (0o755, 0o777, 0o1777, 0o2777, 0o700) if who != "root" else (0o755, 0o2755):
            d = fresh(parent_mode, 0 if parent_mode != 0o700 else 4001, 4001)
            make(d + "/a", kind, 4001, 4001, 0o640 if kind != "dir" else 0o750)
            for name in ("/a", "/a.target", ""):
                age(d + name)
            text = as_user(uid, gid, groups, lambda: call(d))
            text = text.replace(d, "")
            say(f"{op} | {kind} | {who} | {oct(parent_mode)} | {text} | {state(d + '/a')} | {state(d + '/a.target')} | {state(d)} | {sorted(os.listdir(d))}")
            done(d)


def pairs():
    for a, b, (op, call) in itertools.product(KINDS, KINDS, PAIR.items()):
        d = fresh()
        make(d + "/a", a)
        make(d + "/b", b)
        for name in ("/a", "/b", ""):
            age(d + name)
        text = outcome(lambda: call(d)).replace(d, "")
        say(f"{op} | {a} | {b} | {text} | {state(d + '/a')} | {state(d + '/b')} | {state(d)} | {sorted(os.listdir(d))}")
        done(d)
    # Sticky directories: who may rename or remove what.
    for (who, (uid, gid, groups)), owner, dir_owner, op in itertools.product(
        USERS.items(), (0, 4001, 4003), (0, 4001), ("unlink", "rename", "replace", "exchange")
    ):
        d = fresh(0o1777, dir_owner)
        make(d + "/a", "file", owner, owner)
        make(d + "/b", "file", 4001, 4001)
        text = as_user(uid, gid, groups, {
            "unlink": lambda: os.unlink(d + "/a"),
            "rename": lambda: os.rename(d + "/a", d + "/z"),
            "replace": lambda: os.rename(d + "/b", d + "/a"),
            "exchange": lambda: renameat2(d + "/a", d + "/b", 2),
        }[op])
        say(f"sticky {op} | {who} | file of {owner} | dir of {dir_owner} | {text}")
        done(d)


def modes():
    """Which bits chmod, chown, write and truncate leave, for every user."""
    for mode, (who, (uid, gid, groups)), group in itertools.product(
        (0o4755, 0o2755, 0o6755, 0o2745, 0o6644, 0o7777, 0o1644, 0o0), USERS.items(), (4001, 4002)
    ):
        for kind in ("file", "dir"):
            for op in ("chown same", "chgrp", "write", "truncate", "chmod same", "append", "mmap"):
                d = fresh(0o777)
                make(d + "/a", kind, 4001, group)
                os.chmod(d + "/a", mode | 0o222 if op in ("write", "truncate", "append", "mmap") else mode)

                def call():
                    path = d + "/a"
                    if op == "chown same":
                        return os.chown(path, 4001, -1)
                    if op == "chgrp":
                        return os.chown(path, -1, 4001)
                    if op == "chmod same":
                        return os.chmod(path, mode)
                    if op == "truncate":
                        return os.truncate(path, 3)
                    fd = os.open(path, os.O_RDWR if op == "mmap" else os.O_WRONLY | (os.O_APPEND if op == "append" else 0))
                    try:
                        if op == "mmap":
                            m = mmap.mmap(fd, 4)
                            m[0:1] = b"X"
                            m.flush()
                            m.close()
                        else:
                            os.write(fd, b"x")
                    finally:
                        os.close(fd)

                text = as_user(uid, gid, groups, call)
                # A mapping's bits are lost at a moment that is the kernel's choice.
                after = "-" if op == "mmap" and text == "ok" else state(d + "/a")
                say(f"bits {oct(mode)} | {kind} {group} | {who} | {op} | {text} | {after}")
                done(d)


def creation():
    """Modes and groups of what is made, under every umask and in set-gid directories."""
    for umask, mode, parent, kind in itertools.product((0, 0o22, 0o77, 0o777), (0o777, 0o7777, 0o644, 0), (0o755, 0o2755), ("file", "dir", "fifo", "node")):
        d = fresh(parent, 0, 4001)

        def call():
            os.umask(umask)
            if kind == "file":
                os.close(os.open(d + "/a", os.O_CREAT | os.O_WRONLY, mode))
            elif kind == "dir":
                os.mkdir(d + "/a", mode)
            elif kind == "fifo":
                os.mkfifo(d + "/a", mode)
            else:
                os.mknod(d + "/a", stat.S_IFREG | mode)

        text = outcome(call)
        os.umask(0o022)
        age(d + "/a")
        say(f"create {kind} | umask {oct(umask)} | mode {oct(mode)} | {oct(parent)} | {text} | {state(d + '/a')}")
        done(d)


def contents():
    d = fresh()
    path = d + "/f"
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    for op, offset, length in itertools.product(("write", "truncate", "punch", "reserve", "keep", "read"), (0, 1, 4095, 4096, 10_000, 70_001), (1, 100, 4096, 5000, 65_536)):
        if op == "write":
            text = outcome(lambda: os.pwrite(fd, b"%06d" % (offset + length) * (length // 6 + 1), offset))
        elif op == "truncate":
            text = outcome(lambda: os.ftruncate(fd, offset + length))
        elif op == "read":
            text = outcome(lambda: hash_of(os.pread(fd, length, offset)))
        else:
            mode = {"punch": 3, "reserve": 0, "keep": 1}[op]
            text = outcome(lambda: fallocate(fd, mode, offset, length))
        size = os.fstat(fd).st_size
        say(f"content | {op} {offset}+{length} | {text} | {size} | {hash_of(os.pread(fd, 1 << 20, 0))}")
    os.close(fd)
    for mode, args in itertools.product((0, 1, 2, 3, 4, 8, 32, 64), ((0, 0), (0, 1), (-1, 1), (1, -1))):
        fd = os.open(path, os.O_RDWR)
        say(f"fallocate mode {mode} {args} | {outcome(lambda: fallocate(fd, mode, *args))}")
        os.close(fd)
    # Sparse: where data lies is told by page.
    sparse = d + "/sparse"
    fd = os.open(sparse, os.O_RDWR | os.O_CREAT, 0o644)
    for at in (8192, 40_960, 1_000_000):
        os.pwrite(fd, b"d" * 4096, at)
    os.ftruncate(fd, 3_000_000)
    os.fsync(fd)
    for at, whence in itertools.product((0, 1, 8192, 12_287, 12_288, 40_960, 45_056, 999_999, 1_010_000, 2_999_999, 3_000_000, 4_000_000, -1), (os.SEEK_DATA, os.SEEK_HOLE)):
        say(f"seek {whence} {at} | {outcome(lambda: os.lseek(fd, at, whence))}")
    say("blocks of a sparse file", os.fstat(fd).st_blocks)
    os.close(fd)
    # Huge offsets.
    fd = os.open(d + "/huge", os.O_RDWR | os.O_CREAT, 0o644)
    for size in (2**31 - 1, 2**31, 2**32, 2**40, 2**42):
        say(f"huge {size} | {outcome(lambda: os.ftruncate(fd, size))} | {outcome(lambda: os.pwrite(fd, b'end', size - 3))} | {os.fstat(fd).st_size} | {os.pread(fd, 8, size - 4)}")
    os.close(fd)
    done(d)


def hash_of(data):
    import hashlib
    return f"{len(data)}:{hashlib.sha256(data).hexdigest()[:12]}"


def open_files():
    """What was unlinked lives on; rename over what is open; appending by two; O_TMPFILE."""
    d = fresh()
    fd = os.open(d + "/a", os.O_RDWR | os.O_CREAT, 0o644)
    os.write(fd, b"first")
    os.unlink(d + "/a")
    say("unlinked", os.fstat(fd).st_nlink, os.pread(fd, 9, 0), os.listdir(d), outcome(lambda: os.pwrite(fd, b"more", 5)), os.pread(fd, 20, 0))
    say("unlinked fchmod", outcome(lambda: os.fchmod(fd, 0o600)), oct(os.fstat(fd).st_mode), outcome(lambda: os.fchown(fd, 4001, 4001)), os.fstat(fd).st_uid)
    say("unlinked truncate", outcome(lambda: os.ftruncate(fd, 2)), os.pread(fd, 20, 0))
    say("unlinked relink", outcome(lambda: link_follow(f"/proc/self/fd/{fd}", d + "/again")))
    os.close(fd)
    make(d + "/x", "file")
    make(d + "/y", "file")
    fx = os.open(d + "/x", os.O_RDWR)
    fy = os.open(d + "/y", os.O_RDWR)
    os.pwrite(fx, b"XX", 0)
    os.rename(d + "/x", d + "/y")
    os.pwrite(fy, b"YY", 0)
    say("renamed over", os.fstat(fx).st_nlink, os.fstat(fy).st_nlink, os.pread(fx, 4, 0), os.pread(fy, 4, 0), open(d + "/y").read(4), sorted(os.listdir(d)))
    os.close(fx), os.close(fy)
    one = os.open(d + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    two = os.open(d + "/log", os.O_WRONLY | os.O_APPEND)
    for i in range(50):
        os.write(one, b"one%d\n" % i)
        os.write(two, b"two%d\n" % i)
    say("append", hash_of(open(d + "/log", "rb").read()))
    os.close(one), os.close(two)
    held = os.open(d, os.O_RDONLY)
    os.mkdir(d + "/sub")
    sub = os.open(d + "/sub", os.O_RDONLY)
    os.rmdir(d + "/sub")
    say("removed directory", os.fstat(sub).st_nlink, outcome(lambda: os.listdir(sub)), outcome(lambda: os.close(os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=sub))), outcome(lambda: os.mkdir("new", dir_fd=sub)), outcome(lambda: os.open("..", os.O_RDONLY, dir_fd=sub) and None))
    os.close(sub)
    tmp = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(tmp, b"temporary")
    say("tmpfile", os.fstat(tmp).st_nlink, oct(os.fstat(tmp).st_mode), os.pread(tmp, 20, 0))
    say("tmpfile link", outcome(lambda: link_follow(f"/proc/self/fd/{tmp}", d + "/named")), open(d + "/named").read(), os.stat(d + "/named").st_nlink)
    os.close(tmp), os.close(held)
    for count in (1, 2, 30):
        make(d + f"/many{count}", "file")
        for i in range(count):
            os.link(d + f"/many{count}", d + f"/many{count}.{i}")
        os.unlink(d + f"/many{count}")
        say("links", count, os.stat(d + f"/many{count}.0").st_nlink)
    done(d)


def locks():
    d = fresh()
    make(d + "/f", "file")
    a, b = os.open(d + "/f", os.O_RDWR), os.open(d + "/f", os.O_RDWR)
    for first, second in itertools.product((fcntl.LOCK_SH, fcntl.LOCK_EX), repeat=2):
        fcntl.flock(a, first)
        say("flock", first, second, outcome(lambda: fcntl.flock(b, second | fcntl.LOCK_NB)))
        fcntl.flock(a, fcntl.LOCK_UN), fcntl.flock(b, fcntl.LOCK_UN)
    fcntl.lockf(a, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)
    say("lockf", as_user(4001, 4001, [4001], lambda: fcntl.lockf(os.dup(b), fcntl.LOCK_SH | fcntl.LOCK_NB, 5, 5)))
    os.close(a), os.close(b)
    done(d)


def xattrs():
    d = fresh()
    make(d + "/f", "file", 4001, 4001, 0o644)
    os.mkdir(d + "/dir")
    for path, prefix, size, flags in itertools.product(("/f", "/dir"), ("user.", "trusted.", "security.", "system.", ""), (0, 1, 1000, 60_000, 70_000), (0, os.XATTR_CREATE, os.XATTR_REPLACE)):
        name = f"{prefix}n{size}"
        if prefix == "security." and size:
            continue
        say("setxattr", path, name, flags, outcome(lambda: os.setxattr(d + path, name, b"v" * size, flags)), outcome(lambda: len(os.getxattr(d + path, name))))
        outcome(lambda: os.removexattr(d + path, name))
    os.setxattr(d + "/f", "user.one", b"1")
    os.setxattr(d + "/f", "user.two", b"22")
    say("listxattr", sorted(os.listxattr(d + "/f")))
    for who, (uid, gid, groups) in USERS.items():
        say("xattr by", who, as_user(uid, gid, groups, lambda: os.getxattr(d + "/f", "user.one")), as_user(uid, gid, groups, lambda: os.setxattr(d + "/f", "user.three", b"")), as_user(uid, gid, groups, lambda: os.setxattr(d + "/f", "trusted.x", b"")))
    say("long name", outcome(lambda: os.setxattr(d + "/f", "user." + "x" * 251, b"")))
    done(d)


def listing():
    """Every name exactly once, though others come and go while it is read."""
    d = fresh()
    for i in range(3000):
        os.close(os.open(f"{d}/n{i}", os.O_CREAT | os.O_WRONLY))
    seen = []
    with os.scandir(d) as entries:
        for count, entry in enumerate(entries):
            seen.append(entry.name)
            if count % 10 == 0 and count < 1000:
                os.unlink(f"{d}/n{2999 - count}") if os.path.exists(f"{d}/n{2999 - count}") else None
                os.close(os.open(f"{d}/new{count}", os.O_CREAT | os.O_WRONLY))
    stable = {f"n{i}" for i in range(3000) if os.path.exists(f"{d}/n{i}")}
    say("listing", len(stable - set(seen)), len(seen) - len(set(seen)))
    say("dots", outcome(lambda: dots(d)))
    done(d)


def dots(d):
    import subprocess
    return subprocess.run(["ls", "-a", d], capture_output=True, text=True).stdout.split()[:2]


def ctimes():
    """Which operations move the change time."""
    d = fresh()
    for kind, (op, call) in itertools.product(("file", "dir"), {
        "chmod": lambda p: os.chmod(p, 0o700),
        "chown": lambda p: os.chown(p, 4001, 4001),
        "utime": lambda p: os.utime(p, ns=(1, 1)),
        "link": lambda p: os.link(p, p + ".l"),
        "rename": lambda p: (os.rename(p, p + ".r"), os.rename(p + ".r", p)) and None,
        "setxattr": lambda p: os.setxattr(p, "user.x", b"1"),
        "truncate": lambda p: os.truncate(p, 3),
        "read": lambda p: open(p, "rb").read() and None,
        "list": lambda p: os.listdir(p) and None,
        "stat": lambda p: os.stat(p) and None,
        "entry": lambda p: os.mkdir(p + "/e"),
        "write": lambda p: open(p, "ab").write(b"x") and None,
    }.items()):
        path = f"{d}/{kind}-{op}"
        make(path, kind)
        before = os.stat(path)
        time.sleep(0.012)
        text = outcome(lambda: call(path))
        after = os.stat(path)
        say(f"ctime | {kind} | {op} | {text.split()[0]} | ctime {after.st_ctime_ns > before.st_ctime_ns} mtime {after.st_mtime_ns != before.st_mtime_ns}")
    done(d)


def main():
    os.umask(0o022)
    parts = [creation, contents, open_files, locks, xattrs, listing, ctimes, pairs, modes, singles]
    wanted = sys.argv[2:] or [part.__name__ for part in parts]
    for part in parts:
        if part.__name__ in wanted:
            part()
    print(lines, "cases", file=sys.stderr)


main()
