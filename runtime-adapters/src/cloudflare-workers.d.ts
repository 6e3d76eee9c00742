/** The runtime's own module, by the types of `@cloudflare/workers-types`; nothing of it becomes global. */
declare module "cloudflare:workers" {
  import type { CloudflareWorkersModule } from "@cloudflare/workers-types";

  export const WorkerEntrypoint: typeof CloudflareWorkersModule.WorkerEntrypoint<unknown>;
}
