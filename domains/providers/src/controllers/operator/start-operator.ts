import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { apply } from '@chandlery/runtime';
import { buildTenantNamespaceRole } from '../../model/operator/access-objects.ts';
import { providerClasses } from '../../model/operator/provider-class.ts';
import { seedBuiltInProvider, startBuiltInController } from './built-in-provider.ts';
import { type OperatorOptions, openContext } from './operator-context.ts';
import { startProviderController } from './provider-controller.ts';

/**
 * Starts the operator: installs, runs and removes providers on the platform cluster. Disposing of it stops it;
 * providers continue to run, and another operator may take over.
 */
export async function startOperator(options: OperatorOptions): Promise<AsyncDisposable> {
  await prepare(options.platform);
  await using stack = new AsyncDisposableStack();
  const context = stack.use(openContext(options));
  for (const providerClass of providerClasses) stack.use(startProviderController(context, providerClass));
  stack.use(startBuiltInController(context));
  const running = stack.move();
  return { [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function prepare(platform: Client): Promise<void> {
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } };
  await platform.create(namespaces, namespace).catch((thrown: unknown) => {
    if (!isError(thrown, 'AlreadyExists')) throw thrown;
  });
  await apply(platform, 'chandlery-operator', [buildTenantNamespaceRole()]);
  await seedBuiltInProvider(platform);
}
