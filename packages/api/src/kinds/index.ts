import type { KindDeclaration, ProtobufMessage } from '../kind.ts';
import type { StructuralSchema } from '../schema.ts';
import { auditRecord } from './audit.ts';
import { configMap } from './config-map.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { deployment, replicaSet, replicationController } from './deployment.ts';
import { endpointSlice } from './endpoint-slice.ts';
import { event, eventsEvent } from './event.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { cronJob, job } from './job.ts';
import { lease } from './lease.ts';
import { objectMeta } from './messages/meta.ts';
import { namespace } from './namespace.ts';
import { ingress, networkPolicy } from './networking.ts';
import { node } from './node.ts';
import { persistentVolume, persistentVolumeClaim } from './persistent-volume.ts';
import { pod } from './pod.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';
import { limitRange, resourceQuota } from './quota.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './rbac.ts';
import {
  binding,
  deleteOptions,
  eviction,
  localSubjectAccessReview,
  scale,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenRequest,
  tokenReview,
} from './reviews.ts';
import { objectLookup, objectSearch } from './search.ts';
import { secret } from './secret.ts';
import { endpoints, service } from './service.ts';
import { serviceAccount } from './service-account.ts';
import { controllerRevision, daemonSet, statefulSet } from './stateful-set.ts';

/** The kinds of Kubernetes that are stored and served. */
export const builtInKinds: readonly KindDeclaration[] = [
  namespace,
  secret,
  configMap,
  serviceAccount,
  event,
  service,
  endpoints,
  pod,
  node,
  persistentVolumeClaim,
  persistentVolume,
  replicationController,
  resourceQuota,
  limitRange,
  deployment,
  replicaSet,
  statefulSet,
  daemonSet,
  controllerRevision,
  job,
  cronJob,
  endpointSlice,
  lease,
  ingress,
  networkPolicy,
  role,
  clusterRole,
  roleBinding,
  clusterRoleBinding,
  customResourceDefinition,
  eventsEvent,
  podDisruptionBudget,
  horizontalPodAutoscaler,
  auditRecord,
];

/** Kinds that are never stored: questions to the server, and the bodies of sub-resources and deletions. */
export const reviewKinds: readonly KindDeclaration[] = [
  selfSubjectAccessReview,
  subjectAccessReview,
  localSubjectAccessReview,
  selfSubjectRulesReview,
  selfSubjectReview,
  tokenReview,
  tokenRequest,
  binding,
  eviction,
  scale,
  deleteOptions,
  objectSearch,
  objectLookup,
];

/** Schema of the metadata that every object has. */
export const objectMetaSchema: StructuralSchema = objectMeta.schema;

/** Protobuf layout of the metadata that every object has. */
export const objectMetaProtobuf: ProtobufMessage = objectMeta.protobuf;

export { auditFields } from './audit.ts';
export { fillDependentDefaults, hasDependentDefaults } from './defaults/fill-defaults.ts';
