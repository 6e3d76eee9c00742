/** The verbs that are measured, as both sides have them. */
export interface BenchFileSystem {
  mkdir(path: string, options: { recursive: true }): Promise<unknown>;
  writeFile(path: string, data: string | Uint8Array): Promise<unknown>;
  readFile(path: string, encoding: "utf8"): Promise<unknown>;
  /** All bytes of a file, in one piece. */
  readBytes(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<unknown>;
  rm(path: string, options: { recursive: true }): Promise<unknown>;
  /** Searches the files below a directory for a text. */
  grep(text: string, path: string): Promise<unknown>;
}

/** Something to measure: how many operations it is, and doing them all. */
interface Operation {
  readonly count: (n: number) => number;
  run(fs: BenchFileSystem, n: number): Promise<unknown>;
}

const files = (n: number): number => n;
const mebibytes = (): number => MEBIBYTES;
const MEBIBYTES = 64;
const each =
  (work: (fs: BenchFileSystem, i: number) => Promise<unknown>) => async (fs: BenchFileSystem, n: number) => {
    for (let i = 0; i < n; i++) await work(fs, i);
  };
let big: Uint8Array | undefined;

/** What is measured, in this order; the names are those of the metrics. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  write_per_s: { count: files, run: each((fs, i) => fs.writeFile(`/loc/f${i}`, "hello".repeat(20))) },
  overwrite_per_s: { count: files, run: each((fs, i) => fs.writeFile(`/loc/f${i}`, "hellO".repeat(20))) },
  read_per_s: { count: files, run: each((fs, i) => fs.readFile(`/loc/f${i}`, "utf8")) },
  stat_per_s: { count: files, run: each((fs, i) => fs.stat(`/loc/f${i}`)) },
  grep_files_per_s: { count: files, run: (fs) => fs.grep("nomatch", "/loc") },
  write_mib_s: { count: mebibytes, run: (fs) => fs.writeFile("/loc/big", big as Uint8Array) },
  read_mib_s: {
    count: mebibytes,
    run: async (fs) => {
      const { length } = await fs.readBytes("/loc/big");
      if (length !== big?.length) throw new Error(`read ${length} bytes`);
    },
  },
  rm_entries_per_s: { count: files, run: (fs) => fs.rm("/loc", { recursive: true }) },
};

/** What must be there before the first operation. */
export async function prepare(fs: BenchFileSystem): Promise<void> {
  await fs.mkdir("/loc", { recursive: true });
  big = new Uint8Array(MEBIBYTES << 20);
  for (let at = 0; at < big.length; at += 65536) crypto.getRandomValues(big.subarray(at, at + 65536));
}
