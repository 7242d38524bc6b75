import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { defineProviderConfig } from './definition/config-kind.ts';
import type { ProviderDefinition } from './definition/provider-definition.ts';
import { defineService } from './definition/service-kind.ts';
import { userError } from './definition/user-error.ts';

/** The kind that tenants of the test order. */
export const foos = defineService({
  group: 'foo.services.example.org',
  version: 'v1alpha1',
  kind: 'Foo',
  description: 'A service for tests.',
  spec: Type.Object({ version: Type.String(), size: Type.Optional(Type.Integer()) }),
});
export type Foo = ObjectOf<typeof foos>;

/** The configuration of the test provider. */
export const fooConfigs = defineProviderConfig({
  group: 'foo.services.example.org',
  version: 'v1alpha1',
  spec: Type.Object({ versions: Type.Array(Type.String()), greeting: Type.Optional(Type.String()) }),
});
export type FooConfig = ObjectOf<typeof fooConfigs>;

/** The kind that the service brings to control planes. */
export const bars = defineKind({
  group: 'foo.example.org',
  version: 'v1',
  kind: 'Bar',
  description: 'What tenants make with a Foo.',
  spec: Type.Object({}),
});

interface Account {
  size: number;
  isOwned: boolean;
}

/** An external system that records its calls. */
export class Bank {
  readonly accounts = new Map<string, Account>();
  readonly deeds: string[] = [];
  /** Thrown by the next call. */
  failure: Error | undefined;
  /** Accounts cannot be read, as when a server is down. */
  isAway = false;

  do(deed: string): void {
    if (this.failure) throw this.failure;
    this.deeds.push(deed);
  }
}

const everything = [{ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }];

/** A provider with objects on both clusters and an external resource. */
export function fooProvider(bank: Bank): ProviderDefinition<Foo, FooConfig> {
  return {
    api: foos,
    config: fooConfigs,
    clusters: { mcp: { permissions: everything }, workload: { permissions: everything } },
    blockedBy: [bars],
    service: {
      desired: ({ spec }, { config, instanceNamespace: namespace }) => {
        const { versions, greeting = 'hello' } = config.spec;
        if (!versions.includes(spec.version))
          throw userError(
            `version "${spec.version}" is not offered`,
            `Choose one of ${[...versions].sort().join(', ')}.`,
          );
        const data = { version: spec.version, greeting };
        return [
          { cluster: 'mcp', object: bars.crd },
          { cluster: 'workload', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } },
          {
            cluster: 'workload',
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'foo', namespace }, data },
          },
        ];
      },
      observe: async ({ spec: { size = 1 } }, { instanceId }) => {
        if (bank.isAway) return { exists: true, differences: [], isReady: false, message: 'The bank has a break.' };
        const account = bank.accounts.get(instanceId);
        const isSame = account?.size === size && account.isOwned;
        return {
          exists: account !== undefined,
          differences: account === undefined || isSame ? [] : [`The size is ${account.size} and not ${size}.`],
          isReady: true,
          ...(account && { connection: { account: instanceId } }),
          requeueAfterMs: 3_600_000,
        };
      },
      createOrUpdate: async ({ spec: { size = 1 } }, { instanceId }) => {
        bank.do(`${bank.accounts.has(instanceId) ? 'update' : 'create'} ${instanceId}`);
        bank.accounts.set(instanceId, { size, isOwned: true });
      },
      delete: async (_, { instanceId }) => {
        if (bank.accounts.has(instanceId)) bank.do(`delete ${instanceId}`);
        bank.accounts.delete(instanceId);
      },
      release: async (_, { instanceId }) => {
        const account = bank.accounts.get(instanceId);
        if (account) account.isOwned = false;
        return [`Account ${instanceId}`];
      },
    },
  };
}
