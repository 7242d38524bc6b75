/** Traces everything that an object caused, across clusters. */
export { ClusterObjects, type ReadClient, type ReadScope, readCluster } from './cluster-objects.ts';
export { type ExploredTrace, exploreTrace, type FoundObjects, type TraceSource } from './explore-trace.ts';
export { clustersBehind, type Landscape, logicalNameOf, onboardingName, type Placed, platformName } from './links.ts';
export { type FindUid, meshesOf, type TracedMeshService } from './mesh-objects.ts';
export { lookupPath, type ObjectLookup, readLookup } from './object-lookup.ts';
export { renderDot, renderTrace } from './render-trace.ts';
export { problemsOf, type TraceNode } from './trace-node.ts';
export { findRoot, type TraceTarget, traceObject } from './trace-object.ts';
