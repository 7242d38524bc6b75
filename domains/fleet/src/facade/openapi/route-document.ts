/** What the OpenAPI documents say of a route. Names of schemas may contain `{Kind}`. */
export interface RouteDocument {
  /** Groups routes. */
  readonly tag: string;
  readonly summary: string;
  /** Names of query parameters, of the list in `parameters.ts`. Default none. */
  readonly parameters?: readonly string[];
  /** The schema of the body. Default: no body. */
  readonly body?: string;
  /** The schema of each response besides errors; the empty string: no body; `text`: plain text. */
  readonly responses: Readonly<Record<number, string>>;
}

/** A route that is documented. */
export interface DocumentedRoute {
  readonly method: string;
  /** Below `/api/<product>_mgmt`, with parameters as `{id}`; `{collection}` stands for the product's id. */
  readonly path: string;
  readonly family: string;
}
