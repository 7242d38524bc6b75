import type { ClusterRequest } from '../../kinds/cluster-request.ts';

const copiedPrefix = 'metadata.open-control-plane.io/';
type Texts = Readonly<Record<string, string>>;

/** The labels and annotations of a request that its exclusive cluster gets too. */
export const copiedMetadata = ({
  metadata,
}: ClusterRequest): { readonly labels: Texts; readonly annotations: Texts } => ({
  labels: copied(metadata.labels),
  annotations: copied(metadata.annotations),
});

const copied = (texts: Texts = {}): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => key.startsWith(copiedPrefix)));
