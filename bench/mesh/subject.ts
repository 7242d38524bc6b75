import type { TestMeshAuthority } from '../../domains/mesh/src/server/test-mesh-authority.ts';
import type { BenchMesh } from './bench-mesh.ts';
import type { RequestCounter } from './request-counter.ts';

/** Dependencies of a measured server. */
export interface SubjectDeps {
  readonly mesh: BenchMesh;
  readonly authority: TestMeshAuthority;
  /** Counts each request. */
  readonly counter: RequestCounter;
}

/** Methods of aggregated discovery. */
export const aggregatedMethods = {
  sotw: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  delta: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
} as const;
