import { lookup } from "mrmime";

/** The content type of a file, by its name. Text is said to be UTF-8, which is what agents write. */
export function contentType(path: string): string {
  const type = lookup(path) ?? "application/octet-stream";
  const isText = type.startsWith("text/") || /[/+](?:json|xml|javascript)$/.test(type);
  return isText ? `${type}; charset=utf-8` : type;
}
