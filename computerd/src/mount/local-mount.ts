import type { NodeState, TreeChanges } from "../tree/changes.ts";
import type { ListedEntry, TreeService, TreeStatus } from "../tree/service.ts";

/** The part of a mount that asks a tree in this very thread. */
export class LocalTree {
  readonly service: TreeService;

  constructor(service: TreeService) {
    this.service = service;
  }

  async status(): Promise<TreeStatus> {
    return this.service.status();
  }

  async find(path: string): Promise<NodeState | undefined> {
    return this.service.find(path);
  }

  async list(id: number): Promise<ListedEntry[]> {
    return this.service.list(id);
  }

  async *read(id: number): AsyncGenerator<Uint8Array> {
    const { pin, size } = this.service.pin(id);
    try {
      for (let offset = 0; offset < size; ) {
        const piece = this.service.readPin(pin, offset);
        offset += piece.length;
        yield piece;
      }
    } finally {
      this.service.unpin(pin);
    }
  }

  async changes(since: number): Promise<TreeChanges> {
    return this.service.changes(since);
  }
}
