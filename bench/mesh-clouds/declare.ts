import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { cloudAccounts } from '../../domains/mesh/src/kinds/clouds/cloud-account.ts';
import { googleResources } from '../../domains/mesh/src/kinds/clouds/google-resource.ts';
import { benchKey, type Size } from './test-cloud.ts';

export interface Target {
  readonly client: Client;
  readonly namespace: string;
}

export const put = (
  { client, namespace }: Target,
  ref: { readonly group: string; readonly version: string; readonly plural: string },
  body: KubeObject,
): Promise<KubeObject> =>
  client.patch(
    { ...ref, namespace, name: body.metadata.name ?? '' },
    { type: 'apply', body, force: true },
    { fieldManager: 'bench' },
  );

export interface Following {
  readonly pollSeconds: number;
  readonly hasEvents: boolean;
}

/** Name of a service of an account. */
export const serviceName = (account: number, service: number): string => `s${account}-${service}`;

export const allServices = ({ accounts, services }: Size): readonly string[] =>
  Array.from({ length: accounts }, (_, account) =>
    Array.from({ length: services }, (_unused, service) => serviceName(account, service)),
  ).flat();

/** Writes the accounts, as they are to be followed. */
export async function putAccounts(target: Target, { accounts }: Size, following: Following): Promise<void> {
  const { apiVersion, kind } = cloudAccounts;
  const { pollSeconds, hasEvents } = following;
  const event = hasEvents ? { eventSubscription: 'machines' } : {};
  for (let account = 0; account < accounts; account += 1) {
    const spec = { google: { project: `bench-${account}`, ...event }, credentialsSecret: 'key', pollSeconds };
    await put(target, cloudAccounts.ref, { apiVersion, kind, metadata: { name: `a${account}` }, spec });
  }
}

/** Writes the Secret, and a resource for each service. */
export async function putResources(target: Target, { accounts, services }: Size): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { 'key.json': benchKey } };
  await put(target, { group: '', version: 'v1', plural: 'secrets' }, secret);
  const { apiVersion, kind } = googleResources;
  for (let account = 0; account < accounts; account += 1)
    for (let service = 0; service < services; service += 1) {
      const served = { service: serviceName(account, service), serviceAccount: 'books' };
      const spec = { account: `a${account}`, ...served, ports: [{ name: 'http', port: 80 }] };
      const labels = { app: `service-${service}` };
      await put(target, googleResources.ref, {
        ...{ apiVersion, kind, metadata: { name: `r${account}-${service}` } },
        spec: { ...spec, labels },
      });
    }
}
