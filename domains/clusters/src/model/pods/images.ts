/** The program for an image on this machine. */
export interface ImageMapping {
  /** Replaces the image's entry point. Programs that begin with `./` are looked up in `folder`. */
  readonly command: readonly string[];
  /** Arguments when the container has none. Default none. */
  readonly args?: readonly string[];
  /** Variables under those of the pod. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of `./`. Default, and base of a relative one: the node's base folder. */
  readonly folder?: string;
  /** Default SIGTERM. */
  readonly stopSignal?: string;
}

/**
 * Image references, with `*` as wildcard, and their programs: `{ 'postgres:*': { command: ['/usr/bin/postgres'] } }`. A
 * pattern without a tag matches every tag. The longest matching pattern wins.
 */
export type ImageMap = Readonly<Record<string, ImageMapping>>;

/** `postgres`, `library/postgres` and `docker.io/library/postgres:latest` are one image. */
function normalize(reference: string): string {
  const short = reference.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '');
  return hasTag(short) ? short : `${short}:latest`;
}

const hasTag = (reference: string): boolean => /[:@]/.test(reference.slice(reference.lastIndexOf('/') + 1));

const escape = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);

function toExpression(pattern: string): RegExp {
  const short = pattern.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '');
  const body = escape(short).replaceAll('*', '.*');
  return new RegExp(hasTag(short) || short.endsWith('*') ? `^${body}$` : `^${body}[:@].*$`);
}

/** The mapping for an image, if there is one. */
export function findImage(images: ImageMap, reference: string): ImageMapping | undefined {
  const image = normalize(reference);
  const fitting = Object.keys(images).filter(pattern => toExpression(pattern).test(image));
  const literal = (pattern: string): number => pattern.replaceAll('*', '').length;
  const [best] = fitting.sort((left, right) => literal(right) - literal(left));
  return best === undefined ? undefined : images[best];
}
