import { type Call, fsError, invalidType, invalidValue } from "./errors.ts";
import { NAME_MAX, PATH_MAX } from "./layout.ts";
import { encodeName } from "./names.ts";

/**
 * Checks a path as a whole: a string, without NUL, absolute, not too long. Its components are checked when
 * they are looked up, as Linux does, so that a missing parent is reported before an impossible name.
 */
export function checkPath(path: unknown, call: Call, argument = "path"): asserts path is string {
  checkText(path, argument);
  if (path === "") throw fsError("ENOENT", call);
  if (path.charCodeAt(0) !== SLASH) throw fsError("EINVAL", call, "a path must begin with '/'");
  if (path.length * 3 >= PATH_MAX) checkLength(path, call);
}

/** Checks the target of a symbolic link: as a path, but it may be relative. Answers its bytes. */
export function checkLinkTarget(target: unknown, call: Call): Uint8Array {
  checkText(target, "target");
  if (target === "") throw fsError("ENOENT", call);
  checkLength(target, call);
  return encoded(target, call);
}

/** The bytes of a path's component. */
export function nameBytes(name: string, call: Call): Uint8Array {
  const bytes = encoded(name, call);
  if (bytes.length > NAME_MAX) throw fsError("ENAMETOOLONG", call);
  return bytes;
}

/** The components of a path, the last one first; empty ones (from doubled slashes) are left out. */
export function reversedParts(path: string): string[] {
  return path.split("/").filter(Boolean).reverse();
}

/** The path without its last component, without making sense of `.` and `..`. */
export function parentPath(path: string): string {
  const end = path.replace(/\/+$/, "").lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}

/** A path below a directory. */
export function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

function checkText(value: unknown, argument: string): asserts value is string {
  if (typeof value !== "string") throw invalidType(argument, "of type string", value);
  if (value.includes("\0")) throw invalidValue(argument, "must be a string without null bytes", value);
}

function checkLength(path: string, call: Call): void {
  // The cheap bound first: a hostile path may be megabytes.
  if (path.length >= PATH_MAX || encoded(path, call).length >= PATH_MAX) throw fsError("ENAMETOOLONG", call);
}

function encoded(text: string, call: Call): Uint8Array {
  const bytes = encodeName(text);
  if (bytes === undefined) {
    throw fsError("EILSEQ", call, "these lone surrogates stand for no bytes");
  }
  return bytes;
}

const SLASH = 0x2f;
