import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import { isTrue, type LooseObject, type Person, seen } from './people.ts';

const system = ['-n', 'openmcp-system'] as const;
const operation = 'openmcp.cloud/operation';

/** Ends the process of a provider, as an operator would who repairs something. */
export async function stopProvider(operator: Person, name: string): Promise<void> {
  await operator.run('annotate', 'serviceprovider', name, `${operation}=ignore`);
  await seen(operator, ['serviceprovider', name], object => isTrue(object, 'Paused'));
  await operator.run('scale', 'deployment', `sp-${name}`, ...system, '--replicas=0');
  await eventually(async () => (await podsOf(operator, name)).length === 0, { timeoutMs: 60_000, what: 'no pod' });
}

export async function startProvider(operator: Person, name: string): Promise<void> {
  await operator.run('annotate', 'serviceprovider', name, `${operation}-`);
  await operator.run('scale', 'deployment', `sp-${name}`, ...system, '--replicas=1');
  await seen(operator, ['serviceprovider', name], object => isTrue(object, 'Ready'));
}

/** Makes of what a provider has for an order what earlier versions wrote: no AccessRecords, no policies. */
export async function forgetRecords(operator: Person, namespace: string, order: string): Promise<void> {
  const records = await operator.list<LooseObject>('accessrecords', ...system);
  const names = records.map(({ metadata }) => metadata.name).filter(name => name.includes(`--${order}--`));
  assert.equal(names.length, 2);
  await operator.run('delete', 'accessrecord', ...system, ...names);
  for (const kind of ['accessrequests', 'clusterrequests'])
    await operator.run('annotate', kind, '-n', namespace, '--all', 'sdk.chandlery.io/deletion-policy-');
}

const podsOf = async (operator: Person, name: string): Promise<readonly LooseObject[]> =>
  (await operator.list<LooseObject>('pods', ...system)).filter(
    ({ metadata }) => metadata.name.startsWith(`sp-${name}-`) && !metadata.name.startsWith(`sp-${name}-init-`),
  );

interface Slice extends LooseObject {
  readonly ports: readonly { readonly port: number }[];
}

/** What a provider measures. */
export async function readMetrics(operator: Person, name: string): Promise<string> {
  const selector = ['-l', `kubernetes.io/service-name=sp-${name}-metrics`] as const;
  const [slice] = await operator.list<Slice>('endpointslices', ...system, ...selector);
  return await (await fetch(`http://127.0.0.1:${slice?.ports[0]?.port}/metrics`)).text();
}
