/** The peer is installed when the bench runs, into a temporary folder; of its interface this is what we use. */
declare module "@cloudflare/computer" {
  export class Workspace {
    constructor(options: { storage: object });
    readonly fs: Omit<import("./operations.ts").BenchFileSystem, "readFile"> & {
      readFile(path: string, encoding: "utf8"): Promise<string>;
      readFile(path: string): Promise<ReadableStream<Uint8Array>>;
    };
  }
}
