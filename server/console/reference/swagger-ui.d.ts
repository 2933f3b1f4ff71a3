// What this page uses of Swagger UI, which brings no types.

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerOptions {
    readonly url: string
    readonly domNode: HTMLElement
    readonly deepLinking: boolean
    readonly docExpansion: 'none' | 'list' | 'full'
    readonly filter: boolean
    readonly defaultModelsExpandDepth: number
    readonly supportedSubmitMethods: readonly string[]
    /** Null asks no other host whether the document is right. */
    readonly validatorUrl: null
  }
  export default function show(options: SwaggerOptions): unknown
}
