/** Runs `work` between begin and commit; on an error rolls back. */
type Atomically = <T>(work: () => T) => T;

/**
 * Nesting for a database that has one transaction at a time: inner work joins the outer transaction, and
 * an inner failure fails the whole, since half of it may have been done.
 */
export function joining(atomically: Atomically): <T>(work: () => T) => T {
  let open = false;
  let failure: { error: unknown } | undefined;
  return <T>(work: () => T): T => {
    if (open) {
      try {
        return work();
      } catch (error) {
        failure ??= { error };
        throw error;
      }
    }
    open = true;
    failure = undefined;
    try {
      return atomically(() => {
        const result = work();
        if (failure !== undefined) throw failure.error;
        if (typeof (result as { then?: unknown } | null | undefined)?.then === "function") {
          throw new TypeError("A transaction's work must be synchronous, but it answered a promise.");
        }
        return result;
      });
    } finally {
      open = false;
    }
  };
}
