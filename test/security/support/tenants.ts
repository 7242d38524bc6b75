import assert from 'node:assert/strict';
import { issueCertificate } from '@chandlery/platform';
import { eventually, type TestLandscape } from '@chandlery/testing';
import { type Answer, authorityOf, type Caller, createCaller } from './caller.ts';
import { corePath, expectStatus, groupPath } from './objects.ts';

const tenantsGroup = 'core.openmcp.cloud/v1alpha1';

export const projectsPath = groupPath('onboarding', `${tenantsGroup}/projects`);
export const workspacesPath = (namespace: string): string =>
  `${groupPath('onboarding', tenantsGroup, namespace)}/workspaces`;
export const controlPlanesPath = (namespace: string): string =>
  `${groupPath('onboarding', 'core.open-control-plane.io/v2alpha1', namespace)}/controlplanes`;
export const secretsPath = (namespace: string): string => `${corePath('onboarding', namespace)}/secrets`;

export const mergePatch = (body: object) => ({
  method: 'PATCH',
  body,
  headers: { 'content-type': 'application/merge-patch+json' },
});
export const applyPatch = (body: object) => ({
  method: 'PATCH',
  body,
  headers: { 'content-type': 'application/apply-patch+yaml' },
});
export const deletion = { method: 'DELETE' } as const;

export const member = (name: string, ...roles: readonly ('admin' | 'view')[]) => ({ kind: 'User', name, roles });

interface TenantMetadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const project = (metadata: TenantMetadata, members?: readonly object[]) => tenant('Project', metadata, members);
export const workspace = (metadata: TenantMetadata, members?: readonly object[]) =>
  tenant('Workspace', metadata, members);

const tenant = (kind: string, metadata: TenantMetadata, members?: readonly object[]) => ({
  apiVersion: tenantsGroup,
  kind,
  metadata,
  ...(members === undefined ? {} : { spec: { members } }),
});

export const controlPlane = (metadata: TenantMetadata, spec: object = {}) => ({
  apiVersion: 'core.open-control-plane.io/v2alpha1',
  kind: 'ControlPlane',
  metadata,
  spec,
});

/** A user with a certificate of the landscape's own authority: a user who is known everywhere and has no rights. */
export const createPerson = (landscape: TestLandscape, name: string): Caller =>
  createCaller(landscape, {
    certificate: issueCertificate(authorityOf(landscape), { commonName: name, usages: ['client'], now: new Date() }),
  });

/** An object whose state tests look at. */
export interface Stateful {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly members?: readonly object[] } & Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  } & Readonly<Record<string, unknown>>;
}

export const conditionOf = ({ status }: Stateful, type: string) =>
  status?.conditions?.find(condition => condition.type === type);

/** Waits until a user reads an object in the expected state: also rights come only a moment after what gives them. */
export async function until(caller: Caller, path: string, isWanted: (object: Stateful) => boolean): Promise<Stateful> {
  let last: Answer | undefined;
  try {
    return await eventually(
      async () => {
        last = await caller.send(path);
        const object = last.status === 200 && last.json<Stateful>();
        return object !== false && isWanted(object) && object;
      },
      { timeoutMs: 60_000, what: path },
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}; it is ${last?.text}`, { cause: error });
  }
}

export const isReady = (object: Stateful): boolean => conditionOf(object, 'Ready')?.status === 'True';

/** Waits until a user gets this status. */
export async function untilStatus(caller: Caller, path: string, status: number): Promise<void> {
  await eventually(async () => (await caller.send(path)).status === status, {
    timeoutMs: 60_000,
    what: `${status} for ${path}`,
  });
}

/** Creates an object as a user and waits until it is ready. */
export async function createReady(caller: Caller, path: string, body: { metadata: { name: string } }): Promise<void> {
  await eventually(
    async () => {
      const answer = await caller.send(path, { body });
      assert.ok([201, 403].includes(answer.status), answer.text);
      return answer.status === 201;
    },
    { timeoutMs: 60_000, what: `the right to create in ${path}` },
  );
  await until(caller, `${path}/${body.metadata.name}`, isReady);
}

/** What a Secret holds under a key. */
export async function readSecret(caller: Caller, path: string, key: string): Promise<string> {
  const { data } = expectStatus(await caller.send(path), 200, path).json<Stateful>();
  return Buffer.from(data?.[key] ?? assert.fail(`no ${key} in ${path}`), 'base64').toString();
}
