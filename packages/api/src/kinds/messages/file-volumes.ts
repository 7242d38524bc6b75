// Volumes made of files that the cluster itself provides. Numbers and names as in Kubernetes 1.32.

import {
  inline,
  list,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalInt64,
  optionalQuantity,
  optionalString,
  string,
} from '../message.ts';
import { labelSelector } from './meta.ts';
import { localObjectReference, objectFieldSelector, resourceFieldSelector } from './references.ts';

/** One key as a file. */
export const keyToPath = message('One key as a file.', {
  key: string(1, 'The key.', { required: true }),
  path: string(2, 'File name, relative to the mount.', { required: true }),
  mode: optionalInt32(3, 'File mode.', { minimum: 0, maximum: 511 }),
});

/** An empty directory that lives as long as the pod. */
export const emptyDirVolumeSource = message('An empty directory that lives as long as the pod.', {
  medium: string(1, 'Empty for disk, Memory for RAM.'),
  sizeLimit: optionalQuantity(2, 'Most storage it may use.'),
});

/** A clone of a git repository. Deprecated. */
export const gitRepoVolumeSource = message('A clone of a git repository. Deprecated.', {
  repository: string(1, 'URL of the repository.', { required: true }),
  revision: string(2, 'Commit to check out.'),
  directory: string(3, 'Directory to clone into.'),
});

/** A secret as files. */
export const secretVolumeSource = message('A secret as files.', {
  secretName: string(1, 'Name of the secret.'),
  items: list(2, keyToPath, 'The keys to show; all by default.'),
  defaultMode: optionalInt32(3, 'File mode.', { default: 420, minimum: 0, maximum: 511 }),
  optional: optionalBool(4, 'Whether the secret may be missing.'),
});

/** A config map as files. */
export const configMapVolumeSource = message('A config map as files.', {
  localObjectReference: inline(1, localObjectReference),
  items: list(2, keyToPath, 'The keys to show; all by default.'),
  defaultMode: optionalInt32(3, 'File mode.', { default: 420, minimum: 0, maximum: 511 }),
  optional: optionalBool(4, 'Whether the config map may be missing.'),
});

/** A file with facts about the pod. */
export const downwardAPIVolumeFile = message('A file with facts about the pod.', {
  path: string(1, 'File name, relative to the mount.', { required: true }),
  fieldRef: one(2, objectFieldSelector, 'A field of the pod.'),
  resourceFieldRef: one(3, resourceFieldSelector, 'A request or limit of a container.'),
  mode: optionalInt32(4, 'File mode.', { minimum: 0, maximum: 511 }),
});

/** Files with facts about the pod. */
export const downwardAPIVolumeSource = message('Files with facts about the pod.', {
  items: list(1, downwardAPIVolumeFile, 'The files.'),
  defaultMode: optionalInt32(2, 'File mode.', { default: 420, minimum: 0, maximum: 511 }),
});

/** A secret inside a projected volume. */
export const secretProjection = message('A secret inside a projected volume.', {
  localObjectReference: inline(1, localObjectReference),
  items: list(2, keyToPath, 'The keys to show; all by default.'),
  optional: optionalBool(4, 'Whether the secret may be missing.'),
});

/** A config map inside a projected volume. */
export const configMapProjection = message('A config map inside a projected volume.', {
  localObjectReference: inline(1, localObjectReference),
  items: list(2, keyToPath, 'The keys to show; all by default.'),
  optional: optionalBool(4, 'Whether the config map may be missing.'),
});

/** Facts about the pod inside a projected volume. */
export const downwardAPIProjection = message('Facts about the pod inside a projected volume.', {
  items: list(1, downwardAPIVolumeFile, 'The files.'),
});

/** A token of the pod's service account, renewed in place. */
export const serviceAccountTokenProjection = message("A token of the pod's service account, renewed in place.", {
  audience: string(1, 'Audience of the token; the API server by default.'),
  expirationSeconds: optionalInt64(2, 'Life time of the token.', { default: 3600, minimum: 600 }),
  path: string(3, 'File name, relative to the mount.', { required: true }),
});

/** Trust anchors of the cluster. */
export const clusterTrustBundleProjection = message('Trust anchors of the cluster.', {
  name: optionalString(1, 'Name of one bundle.'),
  signerName: optionalString(2, 'Bundles of this signer.'),
  labelSelector: one(3, labelSelector, 'Bundles with these labels.'),
  optional: optionalBool(5, 'Whether the bundles may be missing.'),
  path: string(4, 'File name, relative to the mount.', { required: true }),
});

/** One part of a projected volume; exactly one is used. */
export const volumeProjection = message('One part of a projected volume; exactly one is used.', {
  secret: one(1, secretProjection, 'A secret.'),
  downwardAPI: one(2, downwardAPIProjection, 'Facts about the pod.'),
  configMap: one(3, configMapProjection, 'A config map.'),
  serviceAccountToken: one(4, serviceAccountTokenProjection, 'A service account token.'),
  clusterTrustBundle: one(5, clusterTrustBundleProjection, 'Trust anchors.'),
});

/** Several sources in one directory. */
export const projectedVolumeSource = message('Several sources in one directory.', {
  sources: list(1, volumeProjection, 'The parts.'),
  defaultMode: optionalInt32(2, 'File mode.', { default: 420, minimum: 0, maximum: 511 }),
});
