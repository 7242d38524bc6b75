/** The resources of the Service Mesh Interface, in all published versions. */
import type { KindDeclaration } from '@chandlery/api';
import { httpRouteGroupKind } from './http-route-group.ts';
import { tcpRouteKind, udpRouteKind } from './port-routes.ts';
import { trafficSplitKind } from './traffic-split.ts';
import { trafficTargetKind } from './traffic-target.ts';

/** To be declared in every logical cluster. */
export const smiKinds: readonly KindDeclaration[] = [
  trafficSplitKind,
  trafficTargetKind,
  httpRouteGroupKind,
  tcpRouteKind,
  udpRouteKind,
];
