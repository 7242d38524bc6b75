import type { KubeObject } from '@chandlery/api';
import type { Provider } from '@chandlery/providers/kinds';
import type { CommandContext } from '../command.ts';
import { connectTo } from '../landscape/connect-to.ts';

interface CrdObject extends KubeObject {
  spec: { group: string; names: { kind: string; plural: string } };
}

/** Everything that tenants ordered from a provider. */
export async function tenantObjects(context: CommandContext, { status }: Provider): Promise<KubeObject[]> {
  await using onboarding = connectTo(context, 'onboarding');
  const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const definitions = await Array.fromAsync(onboarding.listAll<CrdObject>(crds));
  const objects: KubeObject[] = [];
  for (const { group, version, kind } of status?.resources ?? []) {
    const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
    if (found === undefined) continue;
    const ref = { group, version, plural: found.spec.names.plural };
    for await (const item of onboarding.listAll(ref))
      objects.push({ ...item, apiVersion: `${group}/${version}`, kind });
  }
  return objects;
}
