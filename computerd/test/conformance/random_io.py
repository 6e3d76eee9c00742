#!/usr/bin/env python3
"""Random I/O on a few files against a model in memory, mappings included.

usage: random_io.py DIR OPERATIONS [SEED]

Prints the seed, how often each verb was used, and `ok`; or what differed and when.
"""
import ctypes, mmap, os, random, sys

folder, operations = sys.argv[1], int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**31)
rng = random.Random(seed)
libc = ctypes.CDLL(None, use_errno=True)
MAX = 300_000
verbs = {}


class File:
    def __init__(self, number):
        self.number = number
        self.path = f"{folder}/file{number}"
        self.model = bytearray()
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        self.map = None

    def unmap(self):
        if self.map is not None:
            self.map.close()
            self.map = None

    def mapped(self):
        if self.map is None and self.model:
            self.map = mmap.mmap(self.fd, len(self.model))
        return self.map


def fail(file, what):
    print(f"seed {seed}, operation {number}: {what} of file{file.number} differs, size {len(file.model)}")
    sys.exit(1)


def compare(file, got, offset, length, what):
    if got != bytes(file.model[offset:offset + length]):
        fail(file, f"{what} {offset}+{length}")


def span(file, past=True):
    limit = MAX if past else max(1, len(file.model))
    offset = rng.choice((rng.randrange(limit), rng.randrange(limit) // 4096 * 4096, len(file.model)))
    return min(offset, limit), rng.choice((1, 7, rng.randrange(1, 300), 4096, rng.randrange(1, 40_000)))


def put(file, offset, data):
    if len(file.model) < offset:
        file.model.extend(bytes(offset - len(file.model)))
    file.model[offset:offset + len(data)] = data


files = [File(i) for i in range(5)]
weights = {
    "write": 20, "read": 20, "map write": 15, "map read": 15, "truncate": 3, "append": 5, "punch": 2, "fsync": 1,
    "msync": 1, "forget": 1, "reopen": 1, "private": 3, "rename": 1, "replace": 0.3, "size": 3, "data": 0.3,
}
names = list(weights)
choices = rng.choices(names, list(weights.values()), k=operations)
for number, verb in enumerate(choices):
    file = rng.choice(files)
    verbs[verb] = verbs.get(verb, 0) + 1
    if verb == "write":
        offset, length = span(file)
        data = rng.randbytes(length)
        os.pwrite(file.fd, data, offset)
        grown = offset + length > len(file.model)
        put(file, offset, data)
        if grown:
            file.unmap()
    elif verb == "append":
        with open(file.path, "ab", buffering=0) as f:
            data = rng.randbytes(rng.randrange(1, 500))
            if len(file.model) + len(data) < MAX:
                f.write(data)
                file.model.extend(data)
                file.unmap()
    elif verb == "read":
        offset, length = span(file)
        compare(file, os.pread(file.fd, length, offset), offset, length, "read")
    elif verb in ("map write", "map read", "private"):
        if not file.model:
            continue
        offset, length = span(file, False)
        offset = min(offset, len(file.model) - 1)
        length = min(length, len(file.model) - offset)
        if verb == "private":
            with mmap.mmap(file.fd, len(file.model), flags=mmap.MAP_PRIVATE) as m:
                compare(file, m[offset:offset + length], offset, length, "private map")
                m[offset:offset + length] = bytes(length)
        elif verb == "map read":
            compare(file, file.mapped()[offset:offset + length], offset, length, "map")
        else:
            data = rng.randbytes(length)
            file.mapped()[offset:offset + length] = data
            file.model[offset:offset + length] = data
    elif verb == "truncate":
        size = rng.choice((0, rng.randrange(MAX), rng.randrange(MAX) // 4096 * 4096, max(0, len(file.model) - 1)))
        file.unmap()
        os.ftruncate(file.fd, size) if rng.random() < 0.5 else os.truncate(file.path, size)
        if size < len(file.model):
            del file.model[size:]
        else:
            file.model.extend(bytes(size - len(file.model)))
    elif verb == "punch":
        offset, length = span(file)
        if libc.fallocate64(file.fd, 3, ctypes.c_int64(offset), ctypes.c_int64(length)) == 0:
            end = min(offset + length, len(file.model))
            if end > offset:
                file.model[offset:end] = bytes(end - offset)
    elif verb == "fsync":
        os.fsync(file.fd)
    elif verb == "msync":
        if file.map is not None:
            file.map.flush()
    elif verb == "forget":
        os.fsync(file.fd)
        os.posix_fadvise(file.fd, 0, 0, os.POSIX_FADV_DONTNEED)
    elif verb == "reopen":
        file.unmap()
        os.close(file.fd)
        file.fd = os.open(file.path, os.O_RDWR)
    elif verb == "rename":
        other = rng.choice(files)
        os.rename(file.path, folder + "/moving")
        if other is not file:
            os.rename(other.path, file.path)
            file.path, other.path = other.path, file.path
        os.rename(folder + "/moving", file.path)
    elif verb == "replace":
        # An atomic save: the old one lives on for who has it open.
        old = file.fd
        file.unmap()
        temporary = file.path + ".new"
        fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        data = rng.randbytes(rng.randrange(1, 5000))
        os.write(fd, data)
        os.rename(temporary, file.path)
        compare(file, os.pread(old, MAX, 0), 0, MAX, "replaced")
        os.close(old)
        file.fd, file.model = fd, bytearray(data)
    elif verb == "size":
        if os.fstat(file.fd).st_size != len(file.model) or os.stat(file.path).st_size != len(file.model):
            fail(file, "size")
    elif verb == "data":
        # Whatever is told to be a hole reads as zeros.
        at = 0
        while at < len(file.model):
            try:
                data = os.lseek(file.fd, at, os.SEEK_DATA)
            except OSError:
                data = len(file.model)
            if any(file.model[at:data]):
                fail(file, f"hole {at}-{data}")
            at = os.lseek(file.fd, data, os.SEEK_HOLE) if data < len(file.model) else data
for file in files:
    file.unmap()
    os.close(file.fd)
    with open(file.path, "rb") as f:
        compare(file, f.read(), 0, MAX * 2, "all")
print(f"seed {seed}", verbs)
print("ok")
