import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig, type ObjectRef, type ResourceRef } from '@chandlery/client';
import { eventually, type TestLandscape } from '@chandlery/testing';

export const namespace = 'default';
const controlPlanes = { group: 'core.open-control-plane.io', version: 'v2alpha1', plural: 'controlplanes', namespace };
export const services = {
  group: 'certificates.services.open-control-plane.io',
  version: 'v1alpha1',
  plural: 'certificateservices',
  namespace,
};
export const certificates = { group: 'certificates.example.com', version: 'v1', plural: 'certificates' };
export const secrets = { group: '', version: 'v1', plural: 'secrets' };

/** An object as far as the story looks into it. */
export interface Seen extends KubeObject {
  readonly spec?: { readonly secretName?: string; readonly dnsNames?: readonly string[] };
  readonly status?: {
    readonly phase?: string;
    readonly serialNumber?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

const patience = { timeoutMs: 240_000, pauseMs: 100 };
const decode = (text = ''): string => Buffer.from(text, 'base64').toString();

/** The administrator's client of a logical cluster. */
export const clientOf = ({ kubeconfig }: TestLandscape, cluster: string): Client =>
  createClient(loadKubeconfig(kubeconfig, { context: cluster }));

/** Does something for each of many, eight at a time. */
export async function forEachOf<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Makes a control plane and its service. */
export async function order(onboarding: Client, name: string): Promise<void> {
  const metadata = { name, namespace };
  await onboarding.create(controlPlanes, {
    apiVersion: 'core.open-control-plane.io/v2alpha1',
    kind: 'ControlPlane',
    metadata,
  });
  const apiVersion = 'certificates.services.open-control-plane.io/v1alpha1';
  await onboarding.create(services, { apiVersion, kind: 'CertificateService', metadata, spec: {} });
}

/** Waits until all control planes and services are ready. */
export async function allServed(onboarding: Client, count: number): Promise<void> {
  for (const ref of [controlPlanes, services]) {
    const what = `${count} ${ref.plural}`;
    await eventually(async () => (await listOf(onboarding, ref)).filter(isServed).length === count, {
      ...patience,
      what,
    });
  }
}

const isServed = ({ status }: Seen): boolean => status?.phase === 'Ready';

/** A tenant's client of its own control plane, by the kubeconfig that it was given. */
export async function ownClient(onboarding: Client, name: string): Promise<Client> {
  const secret = await onboarding.get<Seen>({ ...secrets, namespace, name: `token-admin.${name}.kubeconfig` });
  return createClient(loadKubeconfig(decode(secret.data?.['kubeconfig'])));
}

/** Asks for certificates on a tenant's control plane. */
export async function askFor(plane: Client, tenant: string, count: number): Promise<void> {
  for (let i = 1; i <= count; i += 1) {
    const spec = { secretName: `site-${i}-tls`, dnsNames: [`site-${i}.${tenant}.example.com`] };
    await plane.create(
      { ...certificates, namespace },
      {
        apiVersion: 'certificates.example.com/v1',
        kind: 'Certificate',
        metadata: { name: `site-${i}`, namespace },
        spec,
      },
    );
  }
}

/** Waits until all certificates of a tenant are ready and their Secrets are shown. */
export async function allIssued(plane: Client, count: number): Promise<readonly Seen[]> {
  return eventually(
    async () => {
      const found = (await listOf(plane, certificates)).filter(isReady);
      return found.length === count && (await listOf(plane, secrets)).length >= count && found;
    },
    { ...patience, what: `${count} certificates` },
  );
}

export const isReady = ({ status }: Seen): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

export const listOf = async (client: Client, ref: ResourceRef): Promise<readonly Seen[]> =>
  (await client.list<Seen>(ref)).items;

/** Waits until an object is as wanted. */
export const until = (client: Client, ref: ObjectRef, isWanted: (object: Seen) => boolean): Promise<Seen> =>
  eventually(
    async () => {
      const object = await client.get<Seen>(ref);
      return isWanted(object) && object;
    },
    { ...patience, what: `${ref.plural} "${ref.name}" to be as wanted` },
  );

/** Checks what a tenant finds in the Secret of a certificate, as a TLS library would. */
export async function checkIssued(plane: Client, { metadata, spec, status }: Seen): Promise<void> {
  const ref = { ...secrets, namespace: metadata.namespace ?? '', name: spec?.secretName ?? '' };
  const { data } = await plane.get<Seen>(ref);
  const certificate = new X509Certificate(decode(data?.['tls.crt']));
  const authority = new X509Certificate(decode(data?.['ca.crt']));
  assert.ok(certificate.verify(authority.publicKey) && certificate.checkIssued(authority));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(decode(data?.['tls.key']))));
  for (const name of spec?.dnsNames ?? []) assert.equal(certificate.checkHost(name), name);
  assert.equal(certificate.checkHost('elsewhere.example.com'), undefined);
  assert.equal(certificate.serialNumber, status?.serialNumber);
}

/** How many copies and Secrets there are on the workload cluster, by the namespace of their tenant. */
export async function countCopies(workload: Client): Promise<ReadonlyMap<string, string>> {
  const numbers = new Map<string, { certificates: number; secrets: number }>();
  for (const ref of [certificates, secrets] as const) {
    for (const { metadata } of await listOf(workload, ref)) {
      const count = numbers.get(metadata.namespace ?? '') ?? { certificates: 0, secrets: 0 };
      count[ref.plural as 'certificates' | 'secrets'] += 1;
      numbers.set(metadata.namespace ?? '', count);
    }
  }
  const tenants = [...numbers].filter(([name]) => name.startsWith('certificateservice-'));
  return new Map(tenants.map(([name, count]) => [name, `${count.certificates} copies, ${count.secrets} Secrets`]));
}

/** The kinds of the provider that a control plane still knows. */
export async function definitionsOn(plane: Client): Promise<readonly (string | undefined)[]> {
  const all = await listOf(plane, {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
  });
  return all.map(({ metadata }) => metadata.name).filter(name => name?.includes('certificate'));
}
