import type { AtomicClient, Client } from '@chandlery/client';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';

export const getRoot = (client: Client, name: string): Promise<MeshRootCertificate> =>
  client.get<MeshRootCertificate>({ ...meshRootCertificates.ref, name });

/** Waits until the rotation to a root reaches a state, and returns the root. */
export const untilRotation = (
  client: Client,
  name: string,
  reason: string,
  step?: string,
): Promise<MeshRootCertificate> =>
  eventually(
    async () => {
      const root = await getRoot(client, name);
      const isThere = findCondition(root, 'Rotated')?.reason === reason;
      return isThere && (step === undefined || root.status?.rotation?.step === step) ? root : undefined;
    },
    { what: `the rotation to ${name} to be ${reason} ${step ?? ''}` },
  );

/** `name role` of all roots, sorted. */
export async function listRoles(client: Client): Promise<readonly string[]> {
  const { items } = await client.list<MeshRootCertificate>(meshRootCertificates.ref);
  return items.map(({ metadata, spec }) => `${metadata.name} ${spec.role}`).sort();
}

/** A client of a process that crashes at a write: this one and all later ones fail. */
export interface MortalClient {
  readonly client: AtomicClient;
  readonly isDead: boolean;
}

const writes = new Set(['create', 'update', 'patch', 'delete']);

/** Allows the given number of writes. */
export function createMortalClient(client: AtomicClient, lifetime: number): MortalClient {
  let left = lifetime;
  const proxy = new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (writes.has(String(property))) left--;
        if (left < 0 && writes.has(String(property))) return Promise.reject(new Error('this process has died'));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  return {
    client: proxy,
    get isDead() {
      return left < 0;
    },
  };
}
