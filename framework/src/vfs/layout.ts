/** The bounds and sizes of the tree, in one place. */

/** The root directory's node. Every other node's number is beyond 2^32. */
export const ROOT = 1;

/**
 * The directory of what was removed but not yet taken apart: it has no node, so no path leads there. What
 * a crash left in it is taken apart later.
 */
export const REMOVED = 0;

/** Content up to this many bytes is one row; larger content is cut into chunks. */
export const INLINE_BYTES = 32 * 1024;

/**
 * Bytes of a chunk. Between 128 KiB and 1 MiB reading and writing are equally fast, in Node and in
 * workerd; smaller chunks make appending cheaper and find more that is equal, and cost more rows.
 */
export const CHUNK_BYTES = 256 * 1024;

/** Bytes that are hashed and stored in one go, before others get a turn. */
export const STEP_BYTES = 4 * 1024 * 1024;

/** Bytes of large files whose places are removed in one go; the bytes themselves are freed in smaller steps. */
export const STEP_BYTES_FREED = 256 * 1024 * 1024;

/** Entries that are removed in one go; a directory among them counts as some. */
export const STEP_REMOVED = 4096;
export const DIRECTORY_WEIGHT = 16;

/** Entries that are listed in one go. */
export const STEP_ENTRIES = 1024;

/** Bytes of a name, and of a path with its closing NUL, as on Linux. */
export const NAME_MAX = 255;
export const PATH_MAX = 4096;

/** Symbolic links that one path may lead through, as on Linux. */
export const LINKS_MAX = 40;

/** Bytes of a file: holes cost nothing, so that this is far beyond what can be stored. */
export const FILE_MAX = 2 ** 43;
