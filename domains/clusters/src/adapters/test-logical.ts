import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { type Cluster, clusters } from '../kinds/cluster.ts';
import type { ClusterSource } from '../ports.ts';
import { logicalClusters } from './logical/logical-cluster.ts';
import { createLogicalSource } from './logical/logical-source.ts';

/** A plane and a source of logical clusters on it, for tests. */
export interface TestLogical extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly informer: Informer;
  readonly source: ClusterSource;
}

export async function startTestLogical(): Promise<TestLogical> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const platform = plane.connect('platform');
  const informer = stack.use(createInformer({ client: platform, ref: logicalClusters }));
  informer.start();
  const server = { url: 'https://landscape.test', caPem: 'CA', version: '1.34.1' };
  const connectLogical = (name: string): Client => plane.connect(name);
  const source = stack.use(createLogicalSource({ platform, informer, connectLogical, server }));
  const all = stack.move();
  return { plane, platform, informer, source, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A cluster as the platform has it. */
export const someCluster = (name: string, namespace = 'openmcp-system', more: Partial<Cluster['spec']> = {}): Cluster =>
  clusters.object({ name, namespace }, { profile: 'logical', purposes: ['test'], tenancy: 'Exclusive', ...more });
