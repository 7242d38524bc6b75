/** A route that is documented. */
export interface DocumentedRoute {
  readonly method: string;
  /** Below `/api/<product>_mgmt`, with parameters as `{id}`; `{collection}` stands for the product's id. */
  readonly path: string;
  readonly family: string;
}
