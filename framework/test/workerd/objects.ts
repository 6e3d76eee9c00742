interface Namespace {
  newUniqueId(): unknown;
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** A worker's handlers that give every request to a new object of a class. */
export function forwardToNewObject(object: string) {
  return {
    fetch(request: Request, env: Record<string, Namespace>): Promise<Response> {
      const namespace = env[object] as Namespace;
      return namespace.get(namespace.newUniqueId()).fetch(request);
    },
  };
}

/** A worker's handlers that give a request to the object that its `id` parameter names. */
export function forwardToNamedObject(object: string) {
  return {
    fetch(request: Request, env: Record<string, Namespace>): Promise<Response> {
      const namespace = env[object] as Namespace;
      const id = namespace.idFromName(new URL(request.url).searchParams.get("id") ?? "");
      return namespace.get(id).fetch(request);
    },
  };
}
