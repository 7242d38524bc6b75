/** What an OpenAPI document says of a route. */
export interface RouteDocument {
  /** Groups routes: the resource. */
  readonly tag: string;
  readonly summary: string;
  /** Names of query parameters and headers that the document declares. Default none. */
  readonly parameters?: readonly string[];
  /** The name of the body's schema; `bytes`: any content. Default: no body. */
  readonly body?: string;
  /** The schema of each response besides errors; the empty string: no schema; `bytes`: any content; `text`: plain text. */
  readonly responses: Readonly<Record<number, string>>;
}
