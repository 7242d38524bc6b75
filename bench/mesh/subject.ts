import type { TestMeshAuthority } from '../../domains/mesh/src/server/test-mesh-authority.ts';
import type { BenchMesh } from './bench-mesh.ts';
import type { RequestCounter } from './request-counter.ts';

/** What a server of any kind is made of. */
export interface SubjectNeeds {
  readonly mesh: BenchMesh;
  readonly authority: TestMeshAuthority;
  /** To be told of each request. */
  readonly counter: RequestCounter;
}

/** Many streams of all types, as xDS has them. */
export const aggregatedMethods = {
  sotw: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  delta: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
} as const;
