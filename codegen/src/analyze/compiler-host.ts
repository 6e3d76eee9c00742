import { statSync } from "node:fs";
import { getLibFiles, libFolderInMemoryPath } from "@ts-morph/common";
import { ts } from "ts-morph";

/** The declarations of the language itself, which this compiler carries inside. */
const LIBRARY: ReadonlyMap<string, string> = new Map(
  getLibFiles().map(({ fileName, text }) => [`${libFolderInMemoryPath}/${fileName}`, text]),
);

/** Files to see instead of what is on disk; paths are absolute. */
export interface Overlay {
  read(file: string): string | undefined;
  hasDirectory(directory: string): boolean;
}

interface CachedFile {
  /** Changes when the file does. */
  readonly stamp: string;
  readonly source: ts.SourceFile;
}

/**
 * What programs of one set of options read through: files are parsed once and again only when they have
 * changed on disk. Everything is looked at anew for each program, so no change is missed.
 *
 * (ts-morph's own `Project` would do, but does not tell ES modules from CommonJS when it parses, and so
 * reports errors that are none and picks the wrong exports of packages.)
 */
export function createCachingHost(options: ts.CompilerOptions, overlay: Overlay): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const cache = new Map<string, CachedFile>();
  const library = libraryFor(options);
  const { fileExists, readFile, directoryExists } = host;
  return {
    ...host,
    getDefaultLibLocation: () => libFolderInMemoryPath,
    getDefaultLibFileName: (given) => `${libFolderInMemoryPath}/${ts.getDefaultLibFileName(given)}`,
    fileExists: (file) => LIBRARY.has(file) || overlay.read(file) !== undefined || fileExists(file),
    readFile: (file) => LIBRARY.get(file) ?? overlay.read(file) ?? readFile(file),
    directoryExists: (directory) => overlay.hasDirectory(directory) || (directoryExists?.(directory) ?? true),
    // Imports of the project's own files are resolved again each time: a new file may change where they lead.
    hasInvalidatedResolutions: (file) => !file.includes("/node_modules/"),
    getSourceFile(file, languageVersionOrOptions) {
      const known = library.get(file);
      if (known) return known;
      const inLibrary = LIBRARY.get(file);
      const given = inLibrary ?? overlay.read(file);
      const stamp = given ?? stampOf(file);
      if (stamp === undefined) return undefined;
      const parse =
        typeof languageVersionOrOptions === "object"
          ? languageVersionOrOptions
          : { languageVersion: languageVersionOrOptions };
      const key = `${stamp} ${parse.impliedNodeFormat ?? ""}`;
      const cached = cache.get(file);
      if (cached?.stamp === key) return cached.source;
      const text = given ?? readFile(file);
      if (text === undefined) return undefined;
      const jsDocParsingMode =
        inLibrary === undefined ? ts.JSDocParsingMode.ParseAll : ts.JSDocParsingMode.ParseNone;
      const source = ts.createSourceFile(file, text, { ...parse, jsDocParsingMode }, true);
      if (inLibrary !== undefined) library.set(file, source);
      else cache.set(file, { stamp: key, source });
      return source;
    },
  };
}

const libraries = new Map<string, Map<string, ts.SourceFile>>();

/** The parsed library, shared by all projects with the same options; where they lie makes no difference to it. */
function libraryFor({ configFilePath: _, ...options }: ts.CompilerOptions): Map<string, ts.SourceFile> {
  const key = JSON.stringify(options);
  const known = libraries.get(key);
  if (known) return known;
  // A watcher sees its options change now and then; what was parsed for the old ones is of no more use.
  if (libraries.size >= 4) libraries.clear();
  const library = new Map<string, ts.SourceFile>();
  libraries.set(key, library);
  return library;
}

function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}` : undefined;
}
