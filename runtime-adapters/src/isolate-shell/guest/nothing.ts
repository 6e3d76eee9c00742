/** Stands in for packages that only left-out commands use. */
class Nothing {}

// biome-ignore lint/style/noDefaultExport: the packages it stands in for export a default.
export { Nothing as default };
