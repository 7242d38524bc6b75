/** A client as it is stored. */
export interface ClientRecord {
  readonly clientId: string;
  readonly name: string;
  readonly instanceId: string;
  readonly organisation: string;
  /** The secret, encrypted with the landscape's keyring, in base64. */
  readonly sealedSecret: string;
}

/** Where the landscape's own clients are kept. All replicas see the same. */
export interface ClientStore {
  get(clientId: string): Promise<ClientRecord | undefined>;
  /** Stores the record unless there is one of its id, in one step; returns the stored one. */
  create(record: ClientRecord): Promise<ClientRecord>;
  /** Absent is fine. */
  delete(clientId: string): Promise<void>;
}

/** Keeps clients in memory, for tests and for landscapes that lose them on purpose. */
export function createMemoryClientStore(): ClientStore {
  const records = new Map<string, ClientRecord>();
  return {
    get: clientId => Promise.resolve(records.get(clientId)),
    create: record => {
      const stored = records.get(record.clientId) ?? record;
      records.set(record.clientId, stored);
      return Promise.resolve(stored);
    },
    delete: clientId => {
      records.delete(clientId);
      return Promise.resolve();
    },
  };
}
