/**
 * The seed of random tests: the same each time, so that a run says something about the change and not about luck;
 * `SEED=n` is another, `SEED=random` (`npm run test:random`) a new one each time. Tests print it.
 */
export function testSeed(): number {
  const given = process.env.SEED;
  if (given === "random") return Date.now() % 2 ** 31;
  return given === undefined ? 1 : Number(given);
}
