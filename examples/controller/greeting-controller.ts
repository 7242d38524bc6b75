import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  apply,
  type Controller,
  controllerKeys,
  createController,
  type SharedInformers,
  type StepContext,
  type StepResult,
  setCondition,
  setController,
} from '@chandlery/runtime';

export const greetings = { group: 'example.chandlery.io', version: 'v1', plural: 'greetings' };
const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

interface Greeting extends KubeObject {
  spec: { to: string };
}
interface Needs {
  apply(object: KubeObject): Promise<unknown>;
}

/** Keeps a ConfigMap with the greeting, also when another client changes or deletes it. */
async function ensureConfigMap(greeting: Greeting, needs: Needs): Promise<StepResult> {
  const { name = '', namespace = '' } = greeting.metadata;
  const data = { text: `Hello, ${greeting.spec.to}!` };
  const map: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
  setController(map, greeting);
  await needs.apply(map);
  return 'continue';
}

function reportReady(greeting: Greeting, _needs: Needs, { now }: StepContext): StepResult {
  setCondition(greeting, { type: 'Ready', status: 'True', reason: 'Greeted' }, now);
  return 'continue';
}

/** Starts a controller of greetings; the caller stops it. */
export function startGreetingController(client: Client, informers: SharedInformers): Controller {
  const controller = createController<Greeting, Needs>({
    name: 'greetings',
    client,
    for: { ref: greetings, informer: informers.informer<Greeting>({ client, ref: greetings }) },
    owns: [
      {
        informer: informers.informer({ client, ref: configMaps }),
        mapToKeys: map => controllerKeys(map, { group: greetings.group, kind: 'Greeting' }),
      },
    ],
    steps: [ensureConfigMap, reportReady],
    needs: { apply: object => apply(client, 'greetings', [{ plural: 'configmaps', object }]) },
  });
  controller.start();
  return controller;
}
