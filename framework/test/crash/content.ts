/** What the writer of the crash tests puts into its files: large ones and small ones, and which is which. */
export function crashContent(index: number): Uint8Array {
  const length = index % 7 === 0 ? 700_000 : index % 5 === 0 ? 40_000 : 100;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = (index * 31 + i * 7 + (i >> 8)) & 0xff;
  return bytes;
}

/** The file that an index goes to; every third index overwrites an earlier one's. */
export function crashPath(index: number): string {
  return `/out/${index % 3 === 2 ? index - 2 : index}`;
}
